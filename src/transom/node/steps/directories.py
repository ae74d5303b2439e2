"""Directories and who may read them: secrets and configuration are for administrators only."""

from collections.abc import Sequence

from transom.errors import PermanentError
from transom.model.journal import Drift
from transom.model.recipe import Directory
from transom.model.records import dataclass
from transom.model.step_id import StepId
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Seen, Step
from transom.node.host.access import same_access
from transom.node.host.nouns.files import ReadFiles
from transom.node.host.protocols import Host, ReadHost
from transom.node.host.values import PathKind


@dataclass(frozen=True, slots=True)
class Directories(Step[Directory]):
    """Makes directories, sets their access and reads it back.

    A directory made here is owned with all that kubelet, containerd and CNI write below it.
    """

    id: StepId = StepId.DIRECTORIES
    title: str = "Make directories and set their access"
    needs: tuple[StepId, ...] = (StepId.PREFLIGHT,)
    seen: Seen = Seen.WINE
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[Directory]]:
        """Name each directory that is missing or open to others."""
        found = [(item, _state(host.files, item)) for item in want.recipe.directories]
        return [
            Drift(item.path, state, item.acl or "a directory", item)
            for item, state in found
            if state != _RIGHT
        ]

    def apply(self, host: Host, drift: Sequence[Drift[Directory]]) -> None:
        """Make each directory, set its access, and believe only what is read back."""
        for entry in drift:
            item = entry.item
            host.files.make_directory(item.path)
            if item.acl and not same_access(host.files.acl(item.path), item.acl):
                host.files.set_acl(item.path, item.acl)
                verify_access(host.files, item.path, item.acl)


_RIGHT = ""


def _state(files: ReadFiles, item: Directory) -> str:
    kind = files.kind(item.path)
    if kind is not PathKind.DIRECTORY:
        return str(kind.value)
    acl = files.acl(item.path)
    return acl if item.acl and not same_access(acl, item.acl) else _RIGHT


def verify_access(files: ReadFiles, path: str, wanted: str) -> None:
    """Raise unless the access of a path is what was just set."""
    found = files.acl(path)
    if not same_access(found, wanted):
        raise PermanentError(
            f"cannot protect {path}: its access reads back as {found}",
            subject=path,
            hint="Check that the volume is NTFS and that no policy resets access below it.",
        )
