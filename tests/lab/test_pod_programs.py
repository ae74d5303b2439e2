"""Programs and logs of a pod on a real kubelet.exe, through a real API server."""

import asyncio

import pytest

from transom.errors import PermanentError
from transom.kube.client import open_cluster
from transom.kube.errors import NotFound
from transom.model.manifest import ObjectName

_POD = r"""
apiVersion: v1
kind: Pod
metadata: {name: programs, namespace: kube-system}
spec:
  os: {name: windows}
  nodeName: win1
  hostNetwork: true
  priorityClassName: system-node-critical  # stays also where the machine's disk is nearly full
  terminationGracePeriodSeconds: 1
  tolerations: [{operator: Exists}]
  securityContext:
    windowsOptions: {hostProcess: true, runAsUserName: 'NT AUTHORITY\SYSTEM'}
  containers:
  - name: main
    image: registry.example/programs:1
    command: ["C:/Python/python.exe", "-u", "-c", "import time; print('begun'); time.sleep(3600)"]
"""
_NAME = ObjectName("v1", "Pod", "kube-system", "programs")
_PYTHON = ("C:/Python/python.exe", "-c")


@pytest.fixture(scope="module")
def pod(cluster, eventually):
    cluster.joined("win1")
    cluster.kubectl("apply", "-f", "-", stdin=_POD)
    eventually(
        lambda: cluster.get("pod", "programs", "-n", "kube-system")["status"]["phase"] == "Running",
        "the pod runs",
        timeout_s=60,
    )
    yield cluster.lab.kubeconfig
    cluster.kubectl("delete", "pod", "programs", "-n", "kube-system", "--now")


def ask(kubeconfig, question):
    async def asked():
        api = open_cluster(kubeconfig)
        try:
            return await question(api.door)
        finally:
            await api.close()

    return asyncio.run(asked())


@pytest.mark.parametrize("code", [0, 3])
def test_a_program_in_a_pod_gives_its_output_and_exit_code(pod, code):
    script = f"import sys; print('out'); print('err', file=sys.stderr); sys.exit({code})"
    done = ask(pod, lambda door: door.execute(_NAME, [*_PYTHON, script]))
    assert (done.code, done.stdout.strip(), done.stderr.strip()) == (code, b"out", b"err")


def test_what_a_program_reads_is_sent_to_its_end(pod):
    script = "import sys; print(len(sys.stdin.buffer.read()))"
    done = ask(pod, lambda door: door.execute(_NAME, [*_PYTHON, script], stdin=b"x" * 100_000))
    assert (done.code, done.stdout.strip()) == (0, b"100000")


def test_the_log_of_a_pod_is_read(pod, eventually):
    eventually(lambda: b"begun" in ask(pod, lambda door: door.logs(_NAME, tail=5)), "it wrote")


def test_a_program_or_a_pod_that_is_not_there_is_an_error(pod):
    with pytest.raises(PermanentError, match=r"cannot run C:/no-such\.exe in Pod"):
        ask(pod, lambda door: door.execute(_NAME, ["C:/no-such.exe"]))
    with pytest.raises(NotFound):
        ask(pod, lambda door: door.execute(_NAME._replace(name="none"), ["a.exe"]))
