"""What replacing a program or a file of a recipe does to the pods that run: one table, with sources.

Judged by its path, change by change. A program that runs is moved aside and goes on, but what starts
next, and what is asked to end the old pods, is the new one.
"""

from collections.abc import Iterable
from fnmatch import fnmatchcase

from transom.model.disruption import Disruption, worst
from transom.model.records import dataclass

__all__ = ["REPLACING", "RUNTIMES", "Disruption", "Replacing", "of_replacing", "worst"]

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

RUNTIMES = ("containerd", "docker")
"""The services of which a restart is that of the runtime."""


def of_replacing(paths: Iterable[str]) -> Disruption:
    """What replacing these files does; one that nobody looked into is taken for the worst of files."""
    return worst(_of_path(path.lower()) for path in paths)


def _of_path(path: str) -> Disruption:
    for row in REPLACING:
        if any(fnmatchcase(path, pattern) for pattern in row.paths):
            return row.disruption
    return Disruption.PODS_STOP
