"""The kubelet after a join: it runs, with a command line that reads what the join wrote for it."""

from collections.abc import Sequence

from transom.model.journal import Drift, Receipt
from transom.model.records import dataclass
from transom.node.acts import restore_all
from transom.node.disruption import Disruption
from transom.node.host.protocols import Host, ReadHost, UndoHost
from transom.node.step import EVERYWHERE, Applies, NodeSpec, Seen
from transom.node.steps.services import apply_services, service_drift


@dataclass(frozen=True, slots=True)
class KubeletArguments:
    """Starts the kubelet where the join did not: `run/kubelet.py` gives it the join's flags."""

    id: str = "kubelet-arguments"
    title: str = "Start the kubelet with the join's arguments"
    needs: tuple[str, ...] = ("join",)
    disruption: Disruption = Disruption.KUBELET_RESTART
    seen: Seen = Seen.UPSTREAM_BINARY
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift]:
        """Name the kubelet's service where it differs or does not run."""
        services = tuple(service for service in want.recipe.services if service.flags_file)
        return service_drift(host, want, services)

    def apply(self, host: Host, drift: Sequence[Drift]) -> None:
        """Change the command line and start."""
        apply_services(host, drift)

    def undo(self, host: UndoHost, receipt: Receipt) -> None:
        """Restore the command line."""
        restore_all(host, receipt)
