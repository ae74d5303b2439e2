"""Access to files that kubeadm and the kubelet write, set once they exist."""

from collections.abc import Sequence

from transom.model.journal import Drift
from transom.model.recipe import ProtectedFile
from transom.model.records import dataclass
from transom.model.step_id import StepId
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Seen, Step
from transom.node.host.access import same_access
from transom.node.host.protocols import Host, ReadHost
from transom.node.host.values import PathKind
from transom.node.steps.directories import verify_access


@dataclass(frozen=True, slots=True)
class ProtectedFiles(Step[ProtectedFile]):
    """Takes access by others away from what a join leaves behind."""

    id: StepId = StepId.PROTECTED_FILES
    title: str = "Protect what the join wrote"
    needs: tuple[StepId, ...] = (StepId.JOIN,)
    seen: Seen = Seen.WINE
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[ProtectedFile]]:
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

    def apply(self, host: Host, drift: Sequence[Drift[ProtectedFile]]) -> None:
        """Set the access of each file and read it back."""
        for entry in drift:
            item = entry.item
            host.files.set_acl(item.path, item.acl)
            verify_access(host.files, item.path, item.acl)
