"""The pod addresses of this host are not those the cluster gave it."""

from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.flannel_settings import flannel_settings
from transom.node.doctor.hns_objects import network, prefixes, subnet_environment, within
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen

_BY_NODE_RANGE = ("flannel", "winBridge", "winOverlay", "wincni")
_EXTERNAL = "external"


def _examine(seen: Observation) -> Iterator[Trouble]:
    if not _uses_node_range(seen):
        return
    ranges = _ranges(seen)
    path, own = flannel_settings(seen)
    whole = str(own.get("Network") or "")
    if whole and ranges and whole not in ranges:
        yield Trouble(
            subject=whole,
            message=f"net-conf.json has the range {whole}, the cluster {', '.join(ranges)}",
            evidence=(f"{path}: {whole}",),
            file=path,
        )
    there = network(seen)
    mine = prefixes(there) if there is not None else ()
    file, subnet = seen.text("\\subnet.env")[0], subnet_environment(seen).get("FLANNEL_SUBNET", "")
    node = seen.cluster.node if seen.cluster is not None else None
    for prefix, where in (*((item, "") for item in mine), *([(subnet, file)] if subnet else ())):
        if node is not None and node.pod_cidrs and not _in_any(prefix, node.pod_cidrs):
            text = f"the host's pods get {prefix}, the Node has {', '.join(node.pod_cidrs)}"
        elif ranges and not _in_any(prefix, ranges):
            text = f"the host's pods get {prefix}, outside the cluster's {', '.join(ranges)}"
        else:
            continue
        yield Trouble(subject=prefix, message=text, evidence=(text,), file=where)


def _uses_node_range(seen: Observation) -> bool:
    """Whether pods get their addresses from the Node's spec.podCIDR.

    Calico, Azure CNI and OVN-Kubernetes have an IPAM of their own, which ignores it. Of a host
    without a recipe only what flanneld leaves says that it does.
    """
    if seen.recipe is not None and seen.recipe.network.plugin != _EXTERNAL:
        return seen.recipe.network.plugin in _BY_NODE_RANGE
    return bool(seen.text("\\subnet.env")[0] or flannel_settings(seen)[0])


def _ranges(seen: Observation) -> tuple[str, ...]:
    if seen.cluster is not None and seen.cluster.pod_cidrs:
        return seen.cluster.pod_cidrs
    return seen.recipe.network.pod_cidrs if seen.recipe is not None else ()


def _in_any(prefix: str, ranges: tuple[str, ...]) -> bool:
    return any(within(prefix, other) for other in ranges)


DIAGNOSIS = Diagnosis(
    id="pod-range-differs",
    title="Pod range differs",
    symptom="Pods of this host get addresses that no other node has a route to.",
    cause="The network on the host was made for another node or another range, as after a new join "
    "under the same name, or net-conf.json was not changed with the cluster.",
    remedy=Remedy(
        "Correct net-conf.json. Then drain the node (`kubectl drain NODE --ignore-daemonsets`), "
        "delete the network (`Get-HnsNetwork | Where-Object Name -eq NAME | Remove-HnsNetwork`) "
        "and restart flanneld and kube-proxy.",
        "Every pod on this node loses its network until it is created again, no Service answers "
        "from this node meanwhile, and the host's own connections drop for some seconds. Drain "
        "the node first: `kubectl drain NODE --ignore-daemonsets`.",
    ),
    looks_at=("texts", "hns", "recipe", "cluster"),
    seen=Seen.STAND_IN,
    examine=_examine,
    hides=("source-vip-outside", "node-not-ready"),
)
