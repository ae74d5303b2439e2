"""Preconditions that several checks share: each says why a check cannot be run there, or nothing. Pure."""

from transom.facts import rows
from transom.facts.addons import RuntimeHandler
from transom.facts.rows import At
from transom.verify.running.case import LINUX, WINDOWS, Case, Isolation


def isolated(case: Case) -> str:
    """Containers of their own: programs in HostProcess containers are the host's."""
    if case.setting.wish.isolation is Isolation.HOST_PROCESS:
        return "HostProcess containers have the host's network, accounts and memory"
    return _hyperv(case)


def pods(case: Case) -> str:
    """Pods run on the node."""
    if not case.node.ready:
        return f"the node is not Ready: {case.node.problem or 'its kubelet does not say why'}"
    if case.node.unschedulable:
        return "the node is cordoned"
    return _hyperv(case)


def another_windows_node(case: Case) -> str:
    """Traffic between Windows nodes."""
    return "" if case.others(WINDOWS) else "the cluster has no other Windows node that takes pods"


def linux_node(case: Case) -> str:
    """Traffic between operating systems."""
    return "" if case.others(LINUX) else "the cluster has no Linux node that takes pods"


def kubelet_config(case: Case) -> str:
    """What the kubelet runs with."""
    return "" if case.node.config else "the kubelet does not show its configuration (configz)"


def cluster_dns(case: Case) -> str:
    """A DNS server of the cluster."""
    has = case.node.config.get("clusterDNS") or case.setting.cluster_dns
    return (
        ""
        if has
        else "neither the kubelet nor the cluster names a DNS server (clusterDNS, kube-dns)"
    )


def hyperv_class(case: Case) -> str:
    """A RuntimeClass for Hyper-V isolation."""
    handler = hyperv_handler()
    return "" if case.runtime_class(handler) else f"no RuntimeClass has the handler {handler}"


def hyperv_handler() -> str:
    """What containerd calls Hyper-V isolation."""
    return rows.one(RuntimeHandler, "handler-containerd-hyperv", At()).handler


def _hyperv(case: Case) -> str:
    return hyperv_class(case) if case.setting.wish.isolation is Isolation.HYPERV else ""
