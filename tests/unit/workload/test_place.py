"""Windows workloads are sent to Windows nodes, once, and nothing else is touched."""

import json

from pods import pods
from transom.model.taint import Taint, TaintEffect
from transom.model.version import Version
from transom.workload.context import LintContext
from transom.workload.place import Placer

TAINT = Taint("os", TaintEffect.NO_SCHEDULE, "windows")

WINDOWS = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      # the shop
      containers:
        - name: web
          image: mcr.microsoft.com/windows/nanoserver:ltsc2022
"""
UNKNOWN = """\
apiVersion: v1
kind: Pod
metadata: {name: web}
spec:
  containers: [{name: web, image: example.com/app}]
"""


def placer(*, taints=(TAINT,), **options):
    ctx = LintContext(kubernetes=Version(1, 37), taints=taints, today="2026-11-16")
    return Placer(ctx=ctx, **options)


def placed(text, **options):
    result = placer(**options).place(text.encode(), name="web.yaml")
    return result.data.decode()


def test_a_windows_workload_gets_all_it_lacks_in_the_style_of_its_file():
    assert placed(WINDOWS, runtime_class="windows-2022") == WINDOWS + (
        "      nodeSelector:\n"
        "        kubernetes.io/os: windows\n"
        "      tolerations:\n"
        "        - key: os\n"
        "          operator: Equal\n"
        "          value: windows\n"
        "          effect: NoSchedule\n"
        "      os:\n"
        "        name: windows\n"
        "      runtimeClassName: windows-2022\n"
    )


def test_placing_twice_changes_nothing():
    once = placed(WINDOWS, runtime_class="windows-2022")
    assert placed(once, runtime_class="windows-2022") == once


def test_a_pod_with_an_affinity_gets_no_selector():
    affinity = (
        "      affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "{nodeSelectorTerms: [{matchExpressions: "
        "[{key: kubernetes.io/os, operator: In, values: [windows]}]}]}}}\n"
    )
    assert "nodeSelector:" not in placed(WINDOWS + affinity)


def test_a_toleration_for_everything_is_enough():
    text = WINDOWS + "      tolerations: [{operator: Exists}]\n"
    assert "Equal" not in placed(text)


def test_a_pod_of_no_known_system_is_left_alone_unless_linux_is_the_default():
    assert placed(UNKNOWN) == UNKNOWN
    assert placed(UNKNOWN, linux=True) == UNKNOWN + "  nodeSelector:\n    kubernetes.io/os: linux\n"


def test_a_selector_for_the_other_system_is_not_overwritten():
    text = UNKNOWN + "  os: {name: windows}\n  nodeSelector: {kubernetes.io/os: linux}\n"
    result = placer(taints=()).place(text.encode(), name="web.yaml")
    assert result.data.decode() == text
    assert [left.reason for left in result.left] == ["the pod already selects linux"]


def test_os_name_is_not_set_where_the_api_server_would_then_refuse_the_pod():
    text = WINDOWS + "          securityContext: {privileged: true}\n"
    result = placer(taints=()).place(text.encode(), name="web.yaml")
    assert "os:\n        name" not in result.data.decode()
    assert "WIN025" in result.left[0].reason


RUNTIME_CLASS = """\
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: second}
handler: runhcs-wcow-process
scheduling: {nodeSelector: {kubernetes.io/os: windows}}
---
"""


def test_a_runtime_class_in_the_same_file_says_what_a_pod_is_for():
    pod = UNKNOWN + "  runtimeClassName: second\n"
    assert placed(pod, taints=()) == pod
    assert placed(RUNTIME_CLASS + pod, taints=()) == (
        RUNTIME_CLASS + pod + "  os:\n    name: windows\n"
    )


def test_pods_of_chance_get_only_what_places_them_and_only_once():
    for pod in pods(100):
        before = json.dumps(pod, indent=1)
        after = json.loads(placed(before, runtime_class="windows-2022", linux=True))
        assert placed(json.dumps(after), runtime_class="windows-2022", linux=True) == json.dumps(
            after
        )
        was, spec = pod["spec"], after["spec"]
        for key in ("nodeSelector", "os"):
            assert was.get(key, {}).items() <= spec.pop(key, {}).items()
        assert spec.pop("tolerations", [])[: len(was.get("tolerations", []))] == was.get(
            "tolerations", []
        )
        assert spec.pop("runtimeClassName", None) in (None, "windows-2022")
        placing = ("nodeSelector", "os", "tolerations", "runtimeClassName")
        assert spec == {key: value for key, value in was.items() if key not in placing}
