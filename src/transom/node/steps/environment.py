"""Machine-wide variables and entries of PATH; an entry that is there is not added again."""

from collections.abc import Sequence

from transom.model.journal import Drift, Receipt
from transom.model.records import dataclass
from transom.node.acts import restore_all
from transom.node.disruption import Disruption
from transom.node.host.environment import has_entry
from transom.node.host.protocols import Host, ReadHost, UndoHost
from transom.node.step import EVERYWHERE, Applies, NodeSpec, Seen


@dataclass(frozen=True, slots=True)
class Environment:
    """Sets variables and adds list entries."""

    id: str = "environment"
    title: str = "Set environment variables"
    needs: tuple[str, ...] = ("preflight",)
    disruption: Disruption = Disruption.NONE
    seen: Seen = Seen.WINE
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift]:
        """Name each variable that differs and each entry that is missing."""
        drift = []
        for item in want.recipe.environment:
            value = host.environment.get(item.name)
            right = has_entry(value or "", item.value) if item.append else value == item.value
            if not right:
                wanted = f"{item.value} in the list" if item.append else item.value
                drift.append(Drift(item.name, value or "absent", wanted, item))
        return drift

    def apply(self, host: Host, drift: Sequence[Drift]) -> None:
        """Set each variable or add each entry."""
        for entry in drift:
            item = entry.item
            if item.append:
                host.environment.add_entry(item.name, item.value)
            else:
                host.environment.put(item.name, item.value)

    def undo(self, host: UndoHost, receipt: Receipt) -> None:
        """Restore variables; take out only the entries that were added."""
        restore_all(host, receipt)
