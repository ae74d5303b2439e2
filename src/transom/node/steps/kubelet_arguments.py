"""The kubelet after a join: it runs, with a command line that reads what the join wrote for it."""

from collections.abc import Sequence

from transom.model.journal import Drift
from transom.model.records import dataclass
from transom.model.step_id import StepId
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Seen, Step
from transom.node.host.protocols import Host, ReadHost
from transom.node.steps.services import Wanted, apply_services, service_drift


@dataclass(frozen=True, slots=True)
class KubeletArguments(Step[Wanted]):
    """Starts the kubelet where the join did not: `supervise/kubelet.py` gives it the join's flags."""

    id: StepId = StepId.KUBELET_ARGUMENTS
    title: str = "Start the kubelet with the join's arguments"
    needs: tuple[StepId, ...] = (StepId.JOIN,)
    seen: Seen = Seen.UPSTREAM_BINARY
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[Wanted]]:
        """Name the kubelet's service where it differs or does not run."""
        services = tuple(service for service in want.recipe.services if service.flags_file)
        return service_drift(host, want, services)

    def apply(self, host: Host, drift: Sequence[Drift[Wanted]]) -> None:
        """Change the command line and start."""
        apply_services(host, drift)
