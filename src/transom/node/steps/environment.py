"""Machine-wide variables and entries of PATH; an entry that is there is not added again."""

from collections.abc import Sequence

from transom.model.journal import Drift
from transom.model.recipe import EnvironmentValue
from transom.model.records import dataclass
from transom.model.step_id import StepId
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Seen, Step
from transom.node.host.environment import has_entry
from transom.node.host.protocols import Host, ReadHost


@dataclass(frozen=True, slots=True)
class Environment(Step[EnvironmentValue]):
    """Sets variables and adds list entries."""

    id: StepId = StepId.ENVIRONMENT
    title: str = "Set environment variables"
    needs: tuple[StepId, ...] = (StepId.PREFLIGHT,)
    seen: Seen = Seen.WINE
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[EnvironmentValue]]:
        """Name each variable that differs and each entry that is missing."""
        drift = []
        for item in want.recipe.environment:
            value = host.environment.get(item.name)
            right = has_entry(value or "", item.value) if item.append else value == item.value
            if not right:
                wanted = f"{item.value} in the list" if item.append else item.value
                drift.append(Drift(item.name, value or "absent", wanted, item))
        return drift

    def apply(self, host: Host, drift: Sequence[Drift[EnvironmentValue]]) -> None:
        """Set each variable or add each entry."""
        for entry in drift:
            item = entry.item
            if item.append:
                host.environment.add_entry(item.name, item.value)
            else:
                host.environment.put(item.name, item.value)
