"""Programs that Windows Defender leaves alone; scanning each layer of an image takes minutes."""

from collections.abc import Sequence

from transom.model.journal import Drift
from transom.model.records import dataclass
from transom.model.step_id import StepId
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Seen, Step
from transom.node.host.protocols import Host, ReadHost


@dataclass(frozen=True, slots=True)
class DefenderExclusions(Step[str]):
    """Adds exclusions where Defender is installed."""

    id: StepId = StepId.DEFENDER
    title: str = "Exclude programs from Windows Defender"
    needs: tuple[StepId, ...] = (StepId.PREFLIGHT,)
    seen: Seen = Seen.SIMULATED
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[str]]:
        """Name each program that Defender still watches."""
        wanted = want.recipe.defender_exclusions
        if not wanted or not host.defender.present():
            return ()
        return [
            Drift(item.process, "watched", "excluded", item.process)
            for item in wanted
            if not host.defender.excluded(item.process)
        ]

    def apply(self, host: Host, drift: Sequence[Drift[str]]) -> None:
        """Exclude each program."""
        for entry in drift:
            host.defender.exclude(entry.item)
