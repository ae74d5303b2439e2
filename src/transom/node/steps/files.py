"""Files the recipe has whole: containerd and CNI configuration, kubelet patches."""

import ntpath
from collections.abc import Sequence

from transom.model.journal import Drift
from transom.model.recipe import File
from transom.model.records import dataclass
from transom.model.step_id import StepId
from transom.node.engine.disruption import of_replacing
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Seen, Step
from transom.node.host.access import same_access
from transom.node.host.nouns.files import ReadFiles
from transom.node.host.protocols import Host, ReadHost
from transom.node.host.values import PathKind
from transom.node.steps.artifacts import users_of
from transom.node.steps.directories import verify_access


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file and the services that read it, dependents first."""

    file: File
    services: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Files(Step[Wanted]):
    """Writes each file whose content or access differs.

    What a service was told to read it reads when it starts, so it stands still meanwhile; the step
    that starts services comes later.
    """

    id: StepId = StepId.FILES
    title: str = "Write configuration files"
    needs: tuple[StepId, ...] = (StepId.DIRECTORIES,)
    seen: Seen = Seen.WINE
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[Wanted]]:
        """Name each file that is missing or differs."""
        complete = [item for item in want.recipe.files if not item.fills]
        found = [(item, _state(host.files, item)) for item in complete]
        services = want.recipe.services
        return [
            Drift(
                item.path,
                state,
                "the recipe's content",
                Wanted(item, users_of([item.path], services)),
                of_replacing([item.path]),
            )
            for item, state in found
            if state
        ]

    def apply(self, host: Host, drift: Sequence[Drift[Wanted]]) -> None:
        """Write each file with its access."""
        for entry in drift:
            wanted = entry.item
            for service in wanted.services:
                host.services.stop(service)
            write_file(host, wanted.file)


def write_file(host: Host, item: File) -> None:
    """Put a file of the recipe in place."""
    host.files.make_directory(ntpath.dirname(item.path))
    host.files.write(item.path, item.content.encode(), acl=item.acl)
    if item.acl:
        verify_access(host.files, item.path, item.acl)


def _state(files: ReadFiles, item: File) -> str:
    kind = files.kind(item.path)
    if kind is not PathKind.FILE:
        return str(kind.value)
    if files.read(item.path) != item.content.encode():
        return "other content"
    if item.acl and not same_access(files.acl(item.path), item.acl):
        return files.acl(item.path)
    return ""
