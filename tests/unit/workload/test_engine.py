"""Documents become findings: the right pods, places, words and severities."""

import pytest

from transom.model.finding import Severity
from transom.model.taint import Taint, TaintEffect
from transom.model.version import Version
from transom.workload.context import LintContext
from transom.workload.engine import Linter
from transom.workload.links import Links
from transom.yamlio.loader import load

CTX = LintContext(kubernetes=Version(1, 37), today="2026-11-16")

PRIVILEGED = """\
      nodeSelector: {kubernetes.io/os: windows}
      containers:
      - name: web
        image: registry.example.com/web:1
        securityContext:
          privileged: false
"""
DEPLOYMENT = f"""\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: web, namespace: shop}}
spec:
  selector: {{matchLabels: {{app: web}}}}
  template:
    metadata: {{labels: {{app: web}}}}
    spec:
      os: {{name: windows}}
{PRIVILEGED}"""


def lint(text, ctx=CTX, **settings):
    linter = Linter(ctx, **settings)
    links = Links()
    return linter.lint(load(text, name="web.yaml"), links) + links.settle()


def of_rule(findings, rule):
    return [finding for finding in findings if finding.rule == rule]


def test_a_finding_says_what_where_why_and_what_to_do():
    (finding,) = of_rule(lint(DEPLOYMENT), "WIN025")
    assert (finding.kind, finding.namespace, finding.name) == ("Deployment", "shop", "web")
    assert finding.path == "spec.template.spec.containers[0].securityContext.privileged"
    assert (finding.line, finding.column) == (15, 11)
    assert finding.severity is Severity.ERROR
    expected = "container privileged on a Windows pod (false): rejected by the API server"
    assert finding.message == expected
    assert finding.fix.endswith(".")
    assert finding.evidence[0] == "os.name is windows"


def test_without_os_name_the_api_server_refuses_nothing():
    text = DEPLOYMENT.replace("      os: {name: windows}\n", "")
    (finding,) = of_rule(lint(text.replace("privileged: false", "privileged: true")), "WIN025")
    assert finding.severity is Severity.WARNING
    assert finding.message.endswith("not supported on Windows")


def test_what_is_switched_off_is_no_more_than_a_hint_where_nobody_refuses_it():
    text = DEPLOYMENT.replace("      os: {name: windows}\n", "")
    (finding,) = of_rule(lint(text), "WIN025")
    assert finding.severity is Severity.INFO
    assert finding.message.endswith("has no effect on Windows")


@pytest.mark.parametrize(
    ("minor", "severity"), [(14, Severity.WARNING), (23, Severity.WARNING), (24, Severity.ERROR)]
)
def test_a_field_that_windows_never_had_is_told_before_the_api_server_refuses_it(minor, severity):
    text = DEPLOYMENT.replace("privileged: false", "privileged: true")
    (finding,) = of_rule(lint(text, LintContext(kubernetes=Version(1, minor))), "WIN025")
    assert finding.severity is severity


def test_linux_pods_are_left_in_peace():
    text = DEPLOYMENT.replace("windows", "linux")
    assert lint(text) == []


def test_every_pod_bearing_kind_is_seen():
    groups = {"Job": "batch/v1", "ReplicationController": "v1"}
    for kind in ("DaemonSet", "ReplicaSet", "StatefulSet", "Job", "ReplicationController"):
        text = DEPLOYMENT.replace("Deployment", kind)
        text = text.replace("apps/v1", groups.get(kind, "apps/v1"))
        assert of_rule(lint(text), "WIN025"), kind


@pytest.mark.parametrize(
    ("version", "kind"),
    [
        ("apps.kruise.io/v1alpha1", "DaemonSet"),
        ("apps.openshift.io/v1", "Deployment"),
        ("batch.volcano.sh/v1alpha1", "Job"),
        ("", "StatefulSet"),
    ],
)
def test_a_kind_of_another_group_or_of_none_is_another_kind(version, kind):
    text = DEPLOYMENT.replace(
        "apiVersion: apps/v1\n", f"apiVersion: {version}\n" if version else ""
    )
    assert lint(text.replace("kind: Deployment", f"kind: {kind}")) == []


PATCH = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  template:
    spec:
      nodeSelector: {kubernetes.io/os: windows}
      containers: [{name: web, securityContext: {privileged: true}}]
"""


def test_of_a_patch_nothing_is_said_to_be_missing():
    """What it does not say stands in what it is laid over; what it says is judged."""
    assert {finding.rule for finding in lint(PATCH)} == {"WIN025"}
    assert (
        lint("apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a}\nspec: {replicas: 3}\n")
        == []
    )


def test_a_policy_is_told_only_where_it_can_meet_windows_pods():
    policy = (
        "---\napiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\n"
        "metadata: {name: deny, namespace: %s}\nspec: {podSelector: {}}\n"
    )
    pod = DEPLOYMENT.replace(", namespace: shop", "")
    assert of_rule(lint(f"{DEPLOYMENT}\n{policy % 'shop'}"), "WIN176")
    assert of_rule(lint(f"{DEPLOYMENT}\n{policy % 'bank'}"), "WIN176") == []
    assert of_rule(lint(f"{pod}\n{policy % 'bank'}"), "WIN176") == []


def test_a_class_leads_to_the_claims_that_a_stateful_set_makes():
    storage = (
        "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: slow}\n"
        "provisioner: x\nparameters: {fsType: xfs}\n"
    )
    claims = "  volumeClaimTemplates: [{metadata: {name: d}, spec: {storageClassName: slow}}]\n"
    text = DEPLOYMENT.replace("Deployment", "StatefulSet").replace(
        "  template:", f"{claims}  template:"
    )
    assert of_rule(lint(f"{text}\n{storage}"), "WIN144")
    assert of_rule(lint(f"{text}\n{storage.replace('slow', 'other')}"), "WIN144") == []


PINNED = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  os: {name: windows}
  nodeSelector: {kubernetes.io/os: windows}
  %s
  containers: [{name: a, image: "mcr.microsoft.com/windows/nanoserver:ltsc2025"}]
"""
AFFINITY = (
    "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
    "[{matchExpressions: [{key: node.kubernetes.io/windows-build, operator: In, values: ['%s']}]}]}}}"
)


@pytest.mark.parametrize(
    ("pin", "is_told"),
    [
        (AFFINITY % "10.0.20348", True),
        (AFFINITY % "10.0.26100", False),
        ("priorityClassName: x", False),
    ],
)
def test_an_image_is_compared_with_the_build_that_the_pod_pins(pin, is_told):
    """Without any release of the nodes being given."""
    assert bool(of_rule(lint(PINNED % pin), "WIN200")) is is_told


def test_an_image_that_fits_the_pinned_build_is_right_whatever_the_other_nodes_are():
    both = LintContext(kubernetes=Version(1, 36), builds=(20348, 26100))
    assert of_rule(lint(PINNED % (AFFINITY % "10.0.26100"), both), "WIN200") == []
    assert of_rule(lint(PINNED % "priorityClassName: x", both), "WIN200")


@pytest.mark.parametrize(("sku", "is_told"), [("Windows2022", True), ("Windows2025", False)])
def test_labels_of_clouds_pin_builds_too(sku, is_told):
    text = (PINNED % "priorityClassName: x").replace(
        "kubernetes.io/os: windows", f"kubernetes.azure.com/os-sku: {sku}"
    )
    assert bool(of_rule(lint(text), "WIN200")) is is_told
    assert of_rule(lint(text), "WIN070") == []


def test_a_release_that_the_version_has_no_nodes_of_is_told_without_naming_any():
    text = (PINNED % "priorityClassName: x").replace("ltsc2025", "ltsc2019")
    assert of_rule(lint(text, LintContext(kubernetes=Version(1, 37))), "WIN200")
    assert of_rule(lint(text, LintContext(kubernetes=Version(1, 33))), "WIN200") == []


@pytest.mark.parametrize(
    ("command", "is_told"),
    [
        ("[ping, -t, localhost]", False),
        ("[ping, -t]", False),
        ("[ping.exe, -n, '30', 127.0.0.1]", False),
        ("[cmd, /c, 'ping -t 10.96.0.10 > nul']", False),
        ("[ping, web.shop.svc.cluster.local]", False),
        ("[cmd, /c, 'ping -n 3 www.example.org']", True),
        ("[ping, 8.8.8.8]", True),
    ],
)
def test_only_a_ping_of_the_outside_is_told(command, is_told):
    text = (PINNED % "priorityClassName: x").replace('ltsc2025"', f'ltsc2025", command: {command}')
    assert bool(of_rule(lint(text), "WIN177")) is is_told


def test_a_volume_is_told_once():
    volume = (
        "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: a}\nspec: {csi: {driver: x, "
        "volumeHandle: y, fsType: xfs}, nodeAffinity: {required: {nodeSelectorTerms: "
        "[{matchExpressions: [{key: kubernetes.io/os, operator: In, values: [windows]}]}]}}}\n"
    )
    assert len(of_rule(lint(volume), "WIN135")) == 1


def test_a_toleration_alone_makes_no_pod_one_for_windows():
    text = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {hostPID: true, tolerations: "
        "[{key: os, value: windows, effect: NoSchedule}], containers: [{name: a, image: example.com/a}]}\n"
    )
    assert lint(text) == []


def test_a_daemon_set_for_linux_that_tolerates_everything_is_told():
    text = (
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: a}\nspec: {selector: {}, template: {spec: "
        "{tolerations: [{operator: Exists}], containers: [{name: a, image: 'redis:7'}]}}}\n"
    )
    assert of_rule(lint(text), "WIN077")
    assert (
        of_rule(lint(text.replace("{operator: Exists}", "{key: a, operator: Exists}")), "WIN077")
        == []
    )


@pytest.mark.parametrize("wish", ["hostPID: true", "hostIPC: true", ""])
def test_a_daemon_set_is_for_linux_if_it_asks_for_what_only_linux_has(wish):
    text = (
        "apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: a}\nspec: {selector: {}, template: {spec: "
        "{tolerations: [{operator: Exists}], WISH, containers: [{name: a, image: example.com/agent:1}]}}}\n"
    )
    privileged = text.replace("agent:1}", "agent:1, securityContext: {privileged: true}}")
    text = text.replace("WISH", wish) if wish else privileged.replace("WISH, ", "")
    assert of_rule(lint(text), "WIN077")


def test_memory_in_thousandths_is_answered_with_the_value_found():
    text = (PINNED % "priorityClassName: x").replace(
        'ltsc2025"', 'ltsc2025", resources: {limits: {memory: 512m}}'
    )
    (finding,) = of_rule(lint(text), "WIN105")
    assert finding.fix.startswith("Write 512Mi:")


def test_an_os_that_is_a_word_is_said_to_be_no_mapping():
    found = lint((PINNED % "priorityClassName: x").replace("{name: windows}", "windows"))
    (finding,) = of_rule(found, "WIN045")
    assert "no mapping" in finding.message
    assert of_rule(found, "WIN042") == []


@pytest.mark.parametrize(
    ("image", "is_told"),
    [
        ("mcr.microsoft.com/dotnet/aspnet:8.0", False),
        ("mcr.microsoft.com/windows/servercore:ltsc2025", True),
    ],
)
def test_only_an_image_that_is_server_core_wants_its_memory(image, is_told):
    text = (PINNED % "priorityClassName: x").replace(
        'mcr.microsoft.com/windows/nanoserver:ltsc2025"',
        f'{image}", resources: {{limits: {{memory: 200Mi}}}}',
    )
    assert bool(of_rule(lint(text), "WIN102")) is is_told


def test_only_a_base_image_must_have_a_tag():
    for image, is_told in {
        "mcr.microsoft.com/dotnet/framework/runtime:latest": False,
        "mcr.microsoft.com/windows/servercore/iis": False,
        "mcr.microsoft.com/windows/nanoserver": True,
    }.items():
        text = (PINNED % "priorityClassName: x").replace(
            "mcr.microsoft.com/windows/nanoserver:ltsc2025", image
        )
        assert bool(of_rule(lint(text), "WIN201")) is is_told, image


def test_images_of_end_to_end_tests_are_for_every_system():
    text = (PINNED % "priorityClassName: x").replace(
        "mcr.microsoft.com/windows/nanoserver:ltsc2025",
        "registry.k8s.io/e2e-test-images/httpd:2.4.39-alpine",
    )
    assert of_rule(lint(text), "WIN205") == []


def test_cron_jobs_are_seen():
    indented = PRIVILEGED.replace("\n", "\n    ").rstrip(" ")
    text = (
        "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec:\n  jobTemplate:\n"
        f"    spec:\n      template:\n        spec:\n    {indented}"
    )
    (finding,) = of_rule(lint(text), "WIN025")
    assert finding.path.startswith("spec.jobTemplate.spec.template.spec.containers[0]")


def test_lists_are_opened_at_any_depth():
    item = "\n".join(f"    {line}" for line in DEPLOYMENT.splitlines())
    text = f"apiVersion: v1\nkind: List\nitems:\n  -\n{item}\n"
    (finding,) = of_rule(lint(text), "WIN025")
    assert finding.path.startswith("items[0].spec.template")


def test_further_kinds_are_seen_where_settings_say():
    text = DEPLOYMENT.replace("Deployment", "Rollout")
    assert lint(text) == []
    assert of_rule(lint(text, templates={"Rollout": [("spec", "template")]}), "WIN025")


def test_rules_can_be_switched_off():
    assert of_rule(lint(DEPLOYMENT, without=frozenset({"WIN025"})), "WIN025") == []


def test_a_service_is_judged_only_if_it_leads_to_a_windows_pod():
    service = (
        "\n---\napiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n"
        "spec: {type: NodePort, selector: {app: %s}}\n"
    )
    (finding,) = of_rule(lint(DEPLOYMENT + service % "web"), "WIN167")
    assert finding.evidence == ("leads to Deployment web",)
    assert of_rule(lint(DEPLOYMENT + service % "db"), "WIN167") == []
    other = (service % "web").replace("shop", "other")
    assert of_rule(lint(DEPLOYMENT + other), "WIN167") == []


def test_gates_bring_rules_forward_and_lift_them():
    text = (
        DEPLOYMENT.replace("privileged: false", "{}") + "        lifecycle: {stopSignal: SIGUSR1}\n"
    )
    assert of_rule(lint(text), "WIN030") == []
    gated = CTX._replace(gates={"ContainerStopSignals": True})
    assert of_rule(lint(text, gated), "WIN030")
    text = DEPLOYMENT + "        env: [{name: 'A:B', value: x}]\n"
    old = CTX._replace(kubernetes=Version(1, 30))
    assert of_rule(lint(text, old), "WIN092")
    lifted = old._replace(gates={"RelaxedEnvironmentVariableValidation": True})
    assert of_rule(lint(text, lifted), "WIN092") == []


def test_what_is_no_kubernetes_object_is_passed_over():
    assert lint("- 1\n---\na: b\n---\nkind: 3\n---\napiVersion: v1\nkind: Pod\nspec: []\n") == []


def test_a_runtime_class_in_the_same_file_says_what_a_pod_is_for():
    runtime_class = (
        "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: second}\nhandler: h\n"
        "scheduling: {nodeSelector: {kubernetes.io/os: windows}}\n---\n"
    )
    pod = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {hostPID: true, runtimeClassName: second, "
        "containers: [{name: a, image: 'example.com/a:1'}]}\n"
    )
    assert of_rule(lint(pod), "WIN001") == []
    (finding,) = of_rule(lint(runtime_class + pod), "WIN001")
    assert finding.evidence == ("RuntimeClass second",)


def test_the_level_of_a_namespace_in_the_same_file_counts():
    namespace = (
        "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop, labels: "
        "{pod-security.kubernetes.io/enforce: restricted}}\n---\n"
    )
    text = DEPLOYMENT.replace("      os: {name: windows}\n", "")
    assert of_rule(lint(text), "WIN064") == []
    assert of_rule(lint(namespace + text), "WIN064")


def test_a_linux_pod_is_kept_off_by_a_taint_it_does_not_tolerate():
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: 'nginx:1'}]}\n"
    mixed = CTX._replace(mixed=True)
    assert of_rule(lint(pod, mixed), "WIN077")
    taint = Taint("os", TaintEffect.NO_SCHEDULE, "windows")
    assert of_rule(lint(pod, mixed._replace(taints=(taint,))), "WIN077") == []
    tolerating = pod.replace("{containers", "{tolerations: [{operator: Exists}], containers")
    assert of_rule(lint(tolerating, mixed._replace(taints=(taint,))), "WIN077")


def test_pods_and_the_controller_that_made_them_are_not_added_up():
    service = (
        "\n---\napiVersion: v1\nkind: Service\nmetadata: {name: web, namespace: shop}\n"
        "spec: {selector: {app: web}}\n"
    )
    made = (
        "---\napiVersion: v1\nkind: Pod\nmetadata: {name: web-%s, namespace: shop, labels: {app: web}, "
        "ownerReferences: [{kind: ReplicaSet, name: web, controller: true}]}\n"
        "spec: {os: {name: windows}, containers: []}\n"
    )
    deployment = DEPLOYMENT.replace("spec:\n  selector", "spec:\n  replicas: 40\n  selector", 1)
    whole = deployment + service + "".join(made % number for number in range(40))
    assert of_rule(lint(whole), "WIN164") == []
    assert of_rule(lint(whole.replace("replicas: 40", "replicas: 65")), "WIN164")
    assert of_rule(lint(whole + "".join(made % number for number in range(40, 65))), "WIN164")


def test_a_runtime_class_pins_a_build_too():
    runtime_class = (
        "apiVersion: node.k8s.io/v1\nkind: RuntimeClass\nmetadata: {name: old}\nhandler: x\nscheduling: "
        "{nodeSelector: {node.kubernetes.io/windows-build: 10.0.20348}}\n---\n"
    )
    pod = PINNED % "runtimeClassName: old"
    assert of_rule(lint(runtime_class + pod), "WIN200")
    assert of_rule(lint(pod), "WIN200") == []


def test_an_affinity_for_a_label_of_a_cloud_pins_a_build_too():
    label = AFFINITY.replace("node.kubernetes.io/windows-build", "kubernetes.azure.com/os-sku")
    assert of_rule(lint(PINNED % (label % "Windows2022")), "WIN200")
    assert of_rule(lint(PINNED % (label % "Windows2025")), "WIN200") == []
    assert of_rule(lint(PINNED % (label.replace("In", "NotIn", 1) % "Windows2022")), "WIN200") == []


def test_a_mount_without_a_path_is_passed_over():
    text = (PINNED % "priorityClassName: x").replace(
        'ltsc2025"', 'ltsc2025", volumeMounts: [{name: a}, {name: b, mountPath: 3}]'
    )
    assert of_rule(lint(text), "WIN146") == []


POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: web
spec:
  nodeSelector: {kubernetes.io/os: windows}
  containers:
  - {name: web, image: "registry.example.com/web:1", securityContext: {privileged: true}}
"""


def test_a_linter_remembers_nothing_of_an_earlier_call():
    linter, links = Linter(CTX), Links()
    namespace = (
        "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: web\n"
        "  labels: {pod-security.kubernetes.io/enforce: restricted}\n"
    )
    pod = POD.replace("metadata:\n", "metadata:\n  namespace: web\n")
    alone = linter.lint(load(pod, name="pod.yaml"), links)
    together = linter.lint(load(f"{namespace}---\n{pod}", name="pod.yaml"), links)
    assert linter.lint(load(pod, name="pod.yaml"), links) == alone
    assert [finding.rule for finding in together] != [finding.rule for finding in alone]


def test_one_linter_serves_calls_that_overlap():
    linter = Linter(CTX)
    nested = []

    def documents():
        yield from load(POD, name="outer.yaml")
        nested.extend(linter.lint(load(POD, name="inner.yaml"), are_patches=True))

    outer = linter.lint(documents())
    assert outer == linter.lint(load(POD, name="outer.yaml"))
