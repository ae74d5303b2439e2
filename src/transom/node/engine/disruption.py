"""What a step, or a single change of it, does to the pods that run: two tables, with sources.

Replacing a program or a file is judged by its path, change by change. A program that runs is moved aside and goes
on, but what starts next, and what is asked to end the old pods, is the new one. Every other change does what
its step does.
"""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase

from transom.model.disruption import Disruption, worst
from transom.model.records import dataclass
from transom.model.step_id import StepId

__all__ = [
    "REPLACING",
    "RUNTIMES",
    "STEPS",
    "Disruption",
    "Replacing",
    "Stepping",
    "of_replacing",
    "of_step",
    "worst",
]

_RUNTIME_SOURCE = "containerd/containerd#5618, #5621: on Windows containers end, or are lost, as containerd restarts"


@dataclass(frozen=True, slots=True)
class Replacing:
    """Paths in lower case, with wildcards, and what replacing such a file does to pods; why, by whom."""

    paths: tuple[str, ...]
    disruption: Disruption
    source: str


REPLACING: tuple[Replacing, ...] = (
    Replacing(
        (r"*\containerd.exe", r"*\containerd\config.toml"), Disruption.PODS_STOP, _RUNTIME_SOURCE
    ),
    Replacing(
        (r"*\containerd-shim-*.exe",),
        Disruption.PODS_STOP,
        "containerd core/runtime/v2/README.md: a shim lives as long as its pod, and containerd finds "
        "the old ones again by a protocol of the version it has",
    ),
    Replacing(
        (r"*\dockerd.exe", r"*\docker\config\daemon.json"),
        Disruption.PODS_STOP,
        "docs.docker.com/engine/daemon/live-restore: there is none for Windows containers",
    ),
    Replacing(
        (r"*\cni\bin\*", r"*\cni\net.d\*"),
        Disruption.PODS_STOP,
        "containernetworking/cni SPEC.md, DEL: called with what ADD was given; kubernetes.io "
        "troubleshooting-cni-plugin-related-errors: failed to destroy network for sandbox",
    ),
    Replacing(
        (r"*\flanneld.exe", r"*\kube-flannel\net-conf.json"),
        Disruption.PODS_STOP,
        "flannel-io/flannel pkg/backend/vxlan/device_windows.go: a network that differs is deleted "
        "and made anew as flanneld starts",
    ),
    Replacing(
        (r"*\wins.exe", r"*\rancher\wins\*"),
        Disruption.PODS_STOP,
        "rancher/wins: flanneld and kube-proxy are its children",
    ),
    Replacing(
        (r"*\kubelet.exe", r"*\kube-log-runner.exe", r"*\transom\patches\*"),
        Disruption.KUBELET_RESTART,
        "kubernetes pkg/kubelet: pods go on without it, and it finds them again as it starts",
    ),
    Replacing(
        (r"*\kube-proxy.exe",),
        Disruption.PODS_STOP,
        "kube-proxy.exe of 1.36 and 1.37 in the lab: the load balancers of every Service go as it "
        "starts, and on an overlay are back ten seconds later",
    ),
    Replacing(
        (r"*\kubeadm.exe", r"*\crictl.exe", r"*\ctr.exe", r"*\docker.exe"),
        Disruption.NONE,
        "nothing keeps them running",
    ),
    Replacing(
        (r"*\containerd\certs.d\*",),
        Disruption.NONE,
        "containerd docs/hosts.md: read at each pull, without a restart",
    ),
)


@dataclass(frozen=True, slots=True)
class Stepping:
    """What a step does to a node in use where its changes say nothing else; why, by whom."""

    disruption: Disruption
    source: str


STEPS: Mapping[StepId, Stepping] = {
    StepId.PREFLIGHT: Stepping(Disruption.NONE, "it only looks"),
    StepId.ADOPT: Stepping(Disruption.NONE, "it only writes into the journal"),
    StepId.COMPUTER_NAME: Stepping(
        Disruption.REBOOT,
        "learn.microsoft.com SetComputerNameEx: the new name is used after the next restart",
    ),
    StepId.FEATURES: Stepping(
        Disruption.REBOOT,
        "learn.microsoft.com Enable or Disable Windows Features Using DISM: exit code 3010",
    ),
    StepId.DIRECTORIES: Stepping(
        Disruption.NONE, "learn.microsoft.com SetSecurityInfo: handles that are open stay open"
    ),
    StepId.ENVIRONMENT: Stepping(
        Disruption.NONE,
        "learn.microsoft.com Environment Variables: a process keeps the block it was started with",
    ),
    StepId.REGISTRY: Stepping(
        Disruption.NONE, "transom explain: each value says who reads it, and they do as they start"
    ),
    StepId.DNS_SUFFIXES: Stepping(
        Disruption.NONE, "a suffix is added at the end: names that resolve go on to"
    ),
    StepId.ROUTES: Stepping(
        Disruption.NETWORK_BLIP, "learn.microsoft.com route: what it changes is in use at once"
    ),
    StepId.FIREWALL: Stepping(Disruption.NONE, "rules only allow more"),
    StepId.DEFENDER: Stepping(Disruption.NONE, "exclusions only let more through unread"),
    StepId.UPGRADE: Stepping(Disruption.PODS_STOP, "it replaces programs: see the other table"),
    StepId.ARTIFACTS: Stepping(Disruption.PODS_STOP, "it replaces programs: see the other table"),
    StepId.FILES: Stepping(Disruption.PODS_STOP, "it replaces files: see the other table"),
    StepId.SERVICES: Stepping(
        Disruption.KUBELET_RESTART,
        "a service is stopped to be changed; the runtime's says so change by change",
    ),
    StepId.HOST_NETWORKS: Stepping(
        Disruption.NONE, "docs.docker.com network create: a NAT network beside those in use"
    ),
    StepId.JOIN: Stepping(
        Disruption.NETWORK_BLIP,
        "flannel-io/flannel pkg/backend/vxlan/device_windows.go: its pods make the first HNS network, "
        "which takes the adapter over",
    ),
    StepId.KUBELET_SETTINGS: Stepping(
        Disruption.KUBELET_RESTART,
        "kubernetes pkg/kubelet: pods go on without it, and it finds them again as it starts",
    ),
    StepId.KUBELET_ARGUMENTS: Stepping(
        Disruption.KUBELET_RESTART,
        "kubernetes pkg/kubelet: pods go on without it, and it finds them again as it starts",
    ),
    StepId.LATE_FILES: Stepping(
        Disruption.NONE, "containernetworking/cni SPEC.md: read when the next pod is made"
    ),
    StepId.PROTECTED_FILES: Stepping(
        Disruption.NONE, "learn.microsoft.com SetSecurityInfo: handles that are open stay open"
    ),
    StepId.PROGRAM_SERVICES: Stepping(
        Disruption.NETWORK_BLIP,
        "kube-proxy.exe of 1.36 and 1.37 in the lab: the load balancers of every Service go as it starts",
    ),
}

RUNTIMES = ("containerd", "docker")
"""The services of which a restart is that of the runtime."""


def of_step(step: StepId) -> Disruption:
    """What a step does where its changes say nothing else."""
    return STEPS[step].disruption


def of_replacing(paths: Iterable[str]) -> Disruption:
    """What replacing these files does; one that nobody looked into is taken for the worst of files."""
    return worst(_of_path(path.lower()) for path in paths)


def _of_path(path: str) -> Disruption:
    for row in REPLACING:
        if any(fnmatchcase(path, pattern) for pattern in row.paths):
            return row.disruption
    return Disruption.PODS_STOP
