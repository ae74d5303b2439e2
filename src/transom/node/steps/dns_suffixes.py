"""The DNS suffix search list: pods of Windows resolve short names through the host's list."""

from collections.abc import Sequence

from transom.model.journal import Drift
from transom.model.records import dataclass
from transom.model.step_id import StepId
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Seen, Step
from transom.node.host.protocols import Host, ReadHost


@dataclass(frozen=True, slots=True)
class DnsSuffixes(Step[str]):
    """Adds missing suffixes at the end, in the recipe's order."""

    id: StepId = StepId.DNS_SUFFIXES
    title: str = "Add DNS suffixes"
    needs: tuple[StepId, ...] = (StepId.PREFLIGHT,)
    seen: Seen = Seen.WINE
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[str]]:
        """Name each suffix that is missing."""
        found = host.network.dns_suffixes()
        return [
            Drift(suffix, ", ".join(found) or "absent", "in the list", suffix)
            for suffix in want.recipe.dns_suffixes
            if suffix not in found
        ]

    def apply(self, host: Host, drift: Sequence[Drift[str]]) -> None:
        """Add each suffix."""
        for entry in drift:
            host.network.add_dns_suffix(entry.item)
