"""Files that need what only the joined node knows: its pod range and its address, in CNI configurations."""

import ipaddress
import ntpath
import re
from collections.abc import Sequence

from transom.errors import InternalError, TemporaryError
from transom.model.journal import Drift
from transom.model.recipe import File
from transom.model.records import dataclass
from transom.model.step_id import StepId
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Seen, Step
from transom.node.host.nouns.files import ReadFiles
from transom.node.host.protocols import Host, ReadHost
from transom.node.host.values import ClusterNode, PathKind
from transom.node.steps.join import Layout

POD_RANGE = "nodePodCIDR"
# The address that HNS gives the host on a bridged network: the second of the range.
POD_GATEWAY = "nodePodGateway"
_GATEWAY_NUMBER = 2
# The address pods reach the host by, which a policy of theirs names.
ADDRESS = "nodeAddress"
_FORMS = {
    POD_RANGE: r"[0-9a-fA-F.:]+/[0-9]+",
    POD_GATEWAY: r"[0-9a-fA-F.:]+",
    ADDRESS: r"[0-9.]+",
}
_FILL = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file to fill, and whom to ask."""

    file: File
    kubeconfig: str
    node: str


@dataclass(frozen=True, slots=True)
class LateFiles(Step[Wanted]):
    """Fills such files once the cluster knows the node and has given it what they need.

    A node keeps its range as long as it is joined, so a file that was filled once is right.
    """

    id: StepId = StepId.LATE_FILES
    title: str = "Write what needs the node's pod range or address"
    needs: tuple[StepId, ...] = (StepId.JOIN,)
    seen: Seen = Seen.WINE
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[Wanted]]:
        """Name each file that is missing or was not filled."""
        kubeconfig, node = Layout.of(want.recipe.join).kubeconfig, want.recipe.join.node_name
        return [
            Drift(item.path, state, "filled", Wanted(item, kubeconfig, node))
            for item in want.recipe.files
            if item.fills and (state := _state(host.files, item))
        ]

    def apply(self, host: Host, drift: Sequence[Drift[Wanted]]) -> None:
        """Ask for what each file needs and write it."""
        for entry in drift:
            wanted = entry.item
            node = host.cluster.node(wanted.kubeconfig, wanted.node)
            if node is None:
                raise TemporaryError(
                    f"the cluster has no node {wanted.node} yet", subject=wanted.node
                )
            content = _filled(wanted, node)
            host.files.make_directory(ntpath.dirname(wanted.file.path))
            host.files.write(wanted.file.path, content.encode(), acl=wanted.file.acl)


def _filled(wanted: Wanted, node: ClusterNode) -> str:
    content = wanted.file.content
    for name in wanted.file.fills:
        if name not in _VALUES:
            raise InternalError(f"{wanted.file.path} needs {name}", subject=wanted.file.path)
        content = content.replace("{{" + name + "}}", _VALUES[name](node, wanted.node))
    return content


def _range(node: ClusterNode, name: str) -> str:
    if not node.pod_range:
        raise TemporaryError(
            f"the cluster has not given {name} a pod range yet",
            subject=name,
            hint="Its controller manager must allocate node CIDRs.",
        )
    return node.pod_range


def _gateway(node: ClusterNode, name: str) -> str:
    return str(ipaddress.ip_network(_range(node, name), strict=False)[_GATEWAY_NUMBER])


def _address(node: ClusterNode, name: str) -> str:
    found = next((address for address in node.addresses if ":" not in address), "")
    if not found:
        raise TemporaryError(
            f"the node {name} has no IPv4 address yet",
            subject=name,
            hint="Its kubelet, or the cloud's controller manager, must report one.",
        )
    return found


_VALUES = {POD_RANGE: _range, POD_GATEWAY: _gateway, ADDRESS: _address}


def _state(files: ReadFiles, item: File) -> str:
    kind = files.kind(item.path)
    if kind is not PathKind.FILE:
        return str(kind.value)
    # Every second part is the name of what was filled in between.
    parts = _FILL.split(item.content)
    pattern = "".join(
        _FORMS.get(part, r".*") if number % 2 else re.escape(part)
        for number, part in enumerate(parts)
    )
    found = files.read(item.path).decode("utf-8", "replace")
    return "" if re.fullmatch(pattern, found) else "other content"
