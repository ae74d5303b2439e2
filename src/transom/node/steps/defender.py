"""Programs that Windows Defender leaves alone; scanning each layer of an image takes minutes."""

from collections.abc import Sequence

from transom.model.journal import Drift, Receipt
from transom.model.records import dataclass
from transom.node.acts import restore_all
from transom.node.disruption import Disruption
from transom.node.host.protocols import Host, ReadHost, UndoHost
from transom.node.step import EVERYWHERE, Applies, NodeSpec, Seen


@dataclass(frozen=True, slots=True)
class DefenderExclusions:
    """Adds exclusions where Defender is installed."""

    id: str = "defender"
    title: str = "Exclude programs from Windows Defender"
    needs: tuple[str, ...] = ("preflight",)
    disruption: Disruption = Disruption.NONE
    seen: Seen = Seen.SIMULATED
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift]:
        """Name each program that Defender still watches."""
        wanted = want.recipe.defender_exclusions
        if not wanted or not host.defender.present():
            return ()
        return [
            Drift(item.process, "watched", "excluded", item.process)
            for item in wanted
            if not host.defender.excluded(item.process)
        ]

    def apply(self, host: Host, drift: Sequence[Drift]) -> None:
        """Exclude each program."""
        for entry in drift:
            host.defender.exclude(entry.item)

    def undo(self, host: UndoHost, receipt: Receipt) -> None:
        """Let Defender watch what it watched before."""
        restore_all(host, receipt)
