"""kube-proxy and the pod network as native services, for sites that allow no privileged pods.

The services start the node program, which keeps the upstream one running. They come after the join,
because until then they could but wait, and they go before it is undone.
"""

from collections.abc import Sequence

from transom.model.journal import Drift, Receipt
from transom.model.records import dataclass
from transom.node.acts import restore_all
from transom.node.disruption import Disruption
from transom.node.host.protocols import Host, ReadHost, UndoHost
from transom.node.step import EVERYWHERE, Applies, NodeSpec, Seen
from transom.node.steps.services import apply_services, service_drift


@dataclass(frozen=True, slots=True)
class ProgramServices:
    """Registers and starts the services that keep a program of the recipe running."""

    id: str = "program-services"
    title: str = "Run kube-proxy and the network as services"
    needs: tuple[str, ...] = ("join",)
    disruption: Disruption = Disruption.NETWORK_BLIP
    seen: Seen = Seen.UPSTREAM_BINARY
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift]:
        """Name each such service that is missing, differs or does not run."""
        services = tuple(service for service in want.recipe.services if service.runs)
        return service_drift(host, want, services)

    def apply(self, host: Host, drift: Sequence[Drift]) -> None:
        """Register and start each."""
        apply_services(host, drift)

    def undo(self, host: UndoHost, receipt: Receipt) -> None:
        """Stop and delete what was registered; restore what was changed."""
        restore_all(host, receipt)
