"""Persistent routes, among them the one to a cloud's metadata service.

Making the first HNS network drops routes of the adapter it takes; a persistent one comes back.
"""

from collections.abc import Sequence

from transom.model.journal import Drift
from transom.model.recipe import Route
from transom.model.records import dataclass
from transom.model.step_id import StepId
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Seen, Step
from transom.node.host.nouns.network import ReadNetwork
from transom.node.host.protocols import Host, ReadHost


@dataclass(frozen=True, slots=True)
class Routes(Step[Route]):
    """Makes routes persistent; one marked `keep` only where the host has it."""

    id: StepId = StepId.ROUTES
    title: str = "Keep routes"
    needs: tuple[StepId, ...] = (StepId.PREFLIGHT,)
    seen: Seen = Seen.SIMULATED
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[Route]]:
        """Name each route that would not outlive a new network."""
        return [
            Drift(
                item.prefix,
                host.network.persistent_route(item.prefix) or "absent",
                item.gateway,
                item,
            )
            for item in want.recipe.routes
            if _is_missing(host.network, item)
        ]

    def apply(self, host: Host, drift: Sequence[Drift[Route]]) -> None:
        """Add each route persistently."""
        for entry in drift:
            item = entry.item
            host.network.put_route(item.prefix, item.gateway)


def _is_missing(network: ReadNetwork, item: Route) -> bool:
    gateway = network.persistent_route(item.prefix)
    if item.keep:
        return gateway is None and network.has_route(item.prefix)
    return gateway != item.gateway
