"""Upgrading a node: new programs beside the old, `kubeadm upgrade node`, then the swap.

Until kubeadm has written the kubelet's configuration nothing that runs is touched. What kubeadm is
about to change is kept first, so that an undo has the old configuration as well as the old programs.
"""

import json
import ntpath
from collections.abc import Sequence

from transom.errors import PermanentError
from transom.model.journal import Drift
from transom.model.recipe import Artifact, Recipe, Unpack
from transom.model.records import dataclass
from transom.model.request import Verb
from transom.model.sddl import ADMINISTRATORS_ONLY
from transom.model.step_id import StepId
from transom.node.engine.changes import ACTS
from transom.node.engine.journalled_host import chunks_of
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Seen, Step
from transom.node.host.protocols import Host, ReadHost
from transom.node.host.values import PathKind
from transom.node.packaging.archive import open_archive
from transom.node.steps import artifacts
from transom.node.steps.files import write_file
from transom.node.steps.join import Layout, beside, kubeadm_path

_STAGED = "kubeadm-new.exe"
_UPGRADE_TIMEOUT_S = 300
_OUTPUT_CHARACTERS = 2000
_KUBERNETES = ("kubeadm.exe", "kubelet.exe")


@dataclass(frozen=True, slots=True)
class Wanted:
    """A program to replace, and the whole it belongs to."""

    program: artifacts.Wanted
    recipe: Recipe
    by_hand: bool


@dataclass(frozen=True, slots=True)
class Upgrade(Step[Wanted]):
    """Replaces the programs of a node; does nothing under any other verb."""

    id: StepId = StepId.UPGRADE
    title: str = "Upgrade the node's programs"
    needs: tuple[StepId, ...] = (StepId.DIRECTORIES,)
    seen: Seen = Seen.UPSTREAM_BINARY
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[Wanted]]:
        """Name each program that is not the recipe's."""
        if want.verb is not Verb.UPGRADE:
            return ()
        return [
            Drift(
                entry.subject,
                entry.found,
                entry.wanted,
                Wanted(entry.item, want.recipe, want.by_hand),
                entry.disruption,
            )
            for entry in artifacts.artifact_drift(host, want)
        ]

    def apply(self, host: Host, drift: Sequence[Drift[Wanted]]) -> None:
        """Bring everything, let kubeadm write the configuration, then swap."""
        wanted = [entry.item for entry in drift]
        brought = [(item.program, artifacts.bring(host, item.program)) for item in wanted]
        if any(_is_kubernetes(item.program.artifact) for item in wanted):
            _configure(host, wanted[0], brought)
        artifacts.place_all(host, brought)


def _is_kubernetes(artifact: Artifact) -> bool:
    paths = (artifact.path, *(member.path for member in artifact.members))
    return any(ntpath.basename(path).lower() in _KUBERNETES for path in paths)


def _configure(host: Host, wanted: Wanted, brought: Sequence[tuple[artifacts.Wanted, str]]) -> None:
    recipe = wanted.recipe
    layout = Layout.of(recipe.join)
    if wanted.by_hand:
        settings = (json.dumps(recipe.kubelet.manual.config, indent=1) + "\n").encode()
        host.files.write(layout.kubelet_configuration, settings, acl=ADMINISTRATORS_ONLY)
        return
    for item in recipe.files:
        if recipe.join.patches_directory and _is_below(item.path, recipe.join.patches_directory):
            write_file(host, item)
    paths = (layout.kubelet_configuration, layout.flags_file)
    written = tuple(dict.fromkeys((*paths, *(item.path for item in recipe.protected_files))))
    for path in written:
        host.files.keep(path)
    backups = ntpath.join(layout.kubernetes, "tmp")
    host.note("directory-entries", backups, ACTS["directory-entries"].look(host, backups))
    kubeadm = _stage(host, recipe, brought)
    _start_runtime(host, recipe)
    _upgrade_node(host, kubeadm, recipe)
    _make_lasting(host, written)
    if kubeadm != kubeadm_path(recipe):
        host.files.remove(kubeadm)


def _stage(host: Host, recipe: Recipe, brought: Sequence[tuple[artifacts.Wanted, str]]) -> str:
    """The new kubeadm under a name of its own, or the one in place where that is the new one."""
    place = kubeadm_path(recipe)
    staged = ntpath.join(ntpath.dirname(place), _STAGED)
    for wanted, part in brought:
        artifact = wanted.artifact
        if artifact.unpack is Unpack.FILE and artifact.path == place:
            host.files.write(staged, chunks_of(host.files.open(part)))
            return staged
        names = [member.name for member in artifact.members if member.path == place]
        for name in names:
            with open_archive(
                host.files.open(part), artifact.unpack, subject=artifact.id
            ) as extract:
                host.files.write(staged, extract(name.removeprefix("./")))
            return staged
    return place


def _start_runtime(host: Host, recipe: Recipe) -> None:
    """Have the runtime run, without which kubeadm does nothing: a cut or a crash may have stopped it."""
    needed = [name for service in recipe.services for name in service.depends_on]
    for name in dict.fromkeys(needed):
        if host.services.get(name) is not None and not host.services.running(name):
            host.services.start(name)


def _upgrade_node(host: Host, kubeadm: str, recipe: Recipe) -> None:
    argv = [kubeadm, "upgrade", "node"]
    if recipe.join.patches_directory:
        argv += ["--patches", recipe.join.patches_directory]
    done = host.processes.run(
        argv, timeout_s=_UPGRADE_TIMEOUT_S, search=beside(kubeadm_path(recipe))
    )
    if done.code != 0:
        raise PermanentError(
            f"kubeadm upgrade node ended with {done.code}: "
            f"{done.output[-_OUTPUT_CHARACTERS:].strip()}",
            subject=recipe.join.node_name,
            hint="The end of kubeadm's output names the step that failed.",
        )


def _make_lasting(host: Host, paths: Sequence[str]) -> None:
    """Only what outlives a power cut may be followed by the swap: later nobody would miss it."""
    for path in paths:
        if host.files.kind(path) is PathKind.FILE:
            host.files.flush(path)


def _is_below(path: str, directory: str) -> bool:
    return path.lower().startswith(directory.lower() + "\\")
