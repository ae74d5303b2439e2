"""The DNS suffix search list: pods of Windows resolve short names through the host's list."""

from collections.abc import Sequence

from transom.model.journal import Drift, Receipt
from transom.model.records import dataclass
from transom.node.acts import restore_all
from transom.node.disruption import Disruption
from transom.node.host.protocols import Host, ReadHost, UndoHost
from transom.node.step import EVERYWHERE, Applies, NodeSpec, Seen


@dataclass(frozen=True, slots=True)
class DnsSuffixes:
    """Adds missing suffixes at the end, in the recipe's order."""

    id: str = "dns-suffixes"
    title: str = "Add DNS suffixes"
    needs: tuple[str, ...] = ("preflight",)
    disruption: Disruption = Disruption.NONE
    seen: Seen = Seen.WINE
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift]:
        """Name each suffix that is missing."""
        found = host.network.dns_suffixes()
        return [
            Drift(suffix, ", ".join(found) or "absent", "in the list", suffix)
            for suffix in want.recipe.dns_suffixes
            if suffix not in found
        ]

    def apply(self, host: Host, drift: Sequence[Drift]) -> None:
        """Add each suffix."""
        for entry in drift:
            host.network.add_dns_suffix(entry.item)

    def undo(self, host: UndoHost, receipt: Receipt) -> None:
        """Take out only the suffixes that were added."""
        restore_all(host, receipt)
