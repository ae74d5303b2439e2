"""kube-proxy and the pod network as native services, for sites that allow no privileged pods.

The services start the node program, which keeps the upstream one running. They come after the join,
because until then they could but wait, and they go before it is undone.
"""

from collections.abc import Sequence

from transom.model.journal import Drift
from transom.model.records import dataclass
from transom.model.step_id import StepId
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Seen, Step
from transom.node.host.protocols import Host, ReadHost
from transom.node.steps.services import Wanted, apply_services, service_drift


@dataclass(frozen=True, slots=True)
class ProgramServices(Step[Wanted]):
    """Registers and starts the services that keep a program of the recipe running."""

    id: StepId = StepId.PROGRAM_SERVICES
    title: str = "Run kube-proxy and the network as services"
    needs: tuple[StepId, ...] = (StepId.JOIN,)
    seen: Seen = Seen.UPSTREAM_BINARY
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[Wanted]]:
        """Name each such service that is missing, differs or does not run."""
        services = tuple(service for service in want.recipe.services if service.runs)
        return service_drift(host, want, services)

    def apply(self, host: Host, drift: Sequence[Drift[Wanted]]) -> None:
        """Register and start each."""
        apply_services(host, drift)
