"""Inbound firewall rules: the kubelet's port, and what the pod network needs."""

from collections.abc import Sequence

from transom.model.journal import Drift, Receipt
from transom.model.recipe import FirewallRule
from transom.model.records import dataclass
from transom.node.acts import restore_all
from transom.node.disruption import Disruption
from transom.node.host.protocols import Host, ReadHost, UndoHost
from transom.node.host.values import FirewallPort
from transom.node.step import EVERYWHERE, Applies, NodeSpec, Seen


@dataclass(frozen=True, slots=True)
class Firewall:
    """Adds each rule once, by its name."""

    id: str = "firewall"
    title: str = "Open firewall ports"
    needs: tuple[str, ...] = ("preflight",)
    disruption: Disruption = Disruption.NONE
    seen: Seen = Seen.STAND_IN
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift]:
        """Name each rule that is missing or differs."""
        found = [(item, host.firewall.get(item.name)) for item in want.recipe.firewall]
        return [
            Drift(item.name, _text(rule), _text(_port(item)), item)
            for item, rule in found
            if rule != _port(item)
        ]

    def apply(self, host: Host, drift: Sequence[Drift]) -> None:
        """Set each rule; another's that could not be put back as it was is named and left."""
        for entry in drift:
            host.firewall.put(entry.item.name, _port(entry.item))

    def undo(self, host: UndoHost, receipt: Receipt) -> None:
        """Remove the rules that were added and restore those that were changed."""
        restore_all(host, receipt)


def _port(item: FirewallRule) -> FirewallPort:
    return FirewallPort(protocol=item.protocol, port=item.port)


def _text(rule: FirewallPort | None) -> str:
    return "absent" if rule is None else f"{rule.protocol} {rule.port}"
