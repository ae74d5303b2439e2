"""Inbound firewall rules: the kubelet's port, and what the pod network needs."""

from collections.abc import Sequence

from transom.model.journal import Drift
from transom.model.recipe import FirewallRule
from transom.model.records import dataclass
from transom.model.step_id import StepId
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Seen, Step
from transom.node.host.protocols import Host, ReadHost
from transom.node.host.values import FirewallPort


@dataclass(frozen=True, slots=True)
class Firewall(Step[FirewallRule]):
    """Adds each rule once, by its name."""

    id: StepId = StepId.FIREWALL
    title: str = "Open firewall ports"
    needs: tuple[StepId, ...] = (StepId.PREFLIGHT,)
    seen: Seen = Seen.STAND_IN
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[FirewallRule]]:
        """Name each rule that is missing or differs."""
        found = [(item, host.firewall.get(item.name)) for item in want.recipe.firewall]
        return [
            Drift(item.name, _text(rule), _text(_port(item)), item)
            for item, rule in found
            if rule != _port(item)
        ]

    def apply(self, host: Host, drift: Sequence[Drift[FirewallRule]]) -> None:
        """Set each rule; another's that could not be put back as it was is named and left."""
        for entry in drift:
            host.firewall.put(entry.item.name, _port(entry.item))


def _port(item: FirewallRule) -> FirewallPort:
    return FirewallPort(protocol=item.protocol, port=item.port)


def _text(rule: FirewallPort | None) -> str:
    return "absent" if rule is None else f"{rule.protocol} {rule.port}"
