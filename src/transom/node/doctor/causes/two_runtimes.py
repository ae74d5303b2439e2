"""Two container runtimes are on the host."""

from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.kubelet_settings import setting
from transom.node.doctor.observation import RUNNING, Observation
from transom.node.engine.step import Seen

_PIPES = {"containerd": "containerd-containerd", "docker": "docker_engine"}


def _examine(seen: Observation) -> Iterator[Trouble]:
    there = []
    for name, pipe in _PIPES.items():
        service = seen.service(name)
        if (service is not None and service.state == RUNNING) or pipe in seen.pipes:
            there.append(name)
    if len(there) > 1:
        endpoint = setting(seen, "containerRuntimeEndpoint")
        yield Trouble(
            subject=" and ".join(there),
            message=f"{' and '.join(there)} both run; the kubelet uses "
            f"{endpoint or 'the one it finds first'}",
            evidence=tuple(f"pipe {_PIPES[name]}" for name in there if _PIPES[name] in seen.pipes),
        )


DIAGNOSIS = Diagnosis(
    id="two-runtimes",
    title="Two container runtimes",
    symptom="kubeadm refuses with `found multiple CRI endpoints on the host`, images are pulled "
    "twice, `crictl` and the kubelet show different containers.",
    cause="containerd and Docker both run and serve their pipes.",
    remedy=Remedy(
        "Stop and disable the one that the kubelet does not use: `Stop-Service docker; "
        "Set-Service docker -StartupType Disabled`.",
        "Every container that the stopped runtime runs, which are no pods if the kubelet uses "
        "the other one.",
    ),
    looks_at=("services", "pipes", "texts"),
    seen=Seen.WINE,
    examine=_examine,
)
