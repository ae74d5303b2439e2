"""Access to files that kubeadm and the kubelet write, set once they exist."""

from collections.abc import Sequence

from transom.model.journal import Drift, Receipt
from transom.model.records import dataclass
from transom.node.access import same_access
from transom.node.acts import restore_all
from transom.node.disruption import Disruption
from transom.node.host.protocols import Host, ReadHost, UndoHost
from transom.node.host.values import PathKind
from transom.node.step import EVERYWHERE, Applies, NodeSpec, Seen
from transom.node.steps.directories import verify_access


@dataclass(frozen=True, slots=True)
class ProtectedFiles:
    """Takes access by others away from what a join leaves behind."""

    id: str = "protected-files"
    title: str = "Protect what the join wrote"
    needs: tuple[str, ...] = ("join",)
    disruption: Disruption = Disruption.NONE
    seen: Seen = Seen.WINE
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift]:
        """Name each file that is there and open to others."""
        there = [
            item
            for item in want.recipe.protected_files
            if host.files.kind(item.path) is not PathKind.ABSENT
        ]
        return [
            Drift(item.path, host.files.acl(item.path), item.acl, item)
            for item in there
            if not same_access(host.files.acl(item.path), item.acl)
        ]

    def apply(self, host: Host, drift: Sequence[Drift]) -> None:
        """Set the access of each file and read it back."""
        for entry in drift:
            item = entry.item
            host.files.set_acl(item.path, item.acl)
            verify_access(host.files, item.path, item.acl)

    def undo(self, host: UndoHost, receipt: Receipt) -> None:
        """Restore the access of files that are still there."""
        restore_all(host, receipt)
