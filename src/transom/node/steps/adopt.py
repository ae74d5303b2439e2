"""Adopting a node that somebody else made: written down as it was found, and nothing else.

Later runs change it towards the recipe, each change with what was there before; a reset takes back
those and leaves the node its maker made.
"""

from collections.abc import Sequence

from transom.errors import PermanentError
from transom.model.codec import encode
from transom.model.journal import ADOPTED, Drift, Receipt
from transom.model.recipe import Recipe
from transom.model.records import dataclass
from transom.model.request import Verb
from transom.model.step_id import StepId
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Seen, Step
from transom.node.host.protocols import Host, ReadHost, UndoHost
from transom.node.host.values import PathKind
from transom.node.steps.join import Layout


@dataclass(frozen=True, slots=True)
class Adopt(Step[Recipe]):
    """Records the node's version, services and files; does nothing under any other verb."""

    id: StepId = StepId.ADOPT
    title: str = "Record the node as it was found"
    needs: tuple[StepId, ...] = (StepId.PREFLIGHT,)
    seen: Seen = Seen.UPSTREAM_BINARY
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[Recipe]]:
        """Say whether the node is ours already."""
        del host
        if want.verb is not Verb.ADOPT or want.joined_by_us:
            return ()
        return [Drift(want.recipe.join.node_name, "somebody else's", "adopted", want.recipe)]

    def apply(self, host: Host, drift: Sequence[Drift[Recipe]]) -> None:
        """Ask the cluster what the node runs, and write down what is there."""
        for entry in drift:
            recipe = entry.item
            name = recipe.join.node_name
            health = host.cluster.health(Layout.of(recipe.join).kubeconfig, name)
            if health is None:
                raise PermanentError(
                    f"the cluster has no Node {name}",
                    subject=name,
                    hint="Its kubelet must have registered before it can be adopted.",
                )
            found = {
                "kubernetes": health.kubelet,
                "runtime": recipe.target.runtime,
                "services": _services(host, recipe),
                "files": _files(host, recipe),
            }
            host.note(ADOPTED, name, found)

    def undo(self, host: UndoHost, receipt: Receipt) -> None:
        """Leave the node as its maker made it."""


def _services(host: Host, recipe: Recipe) -> dict[str, object]:
    found = {item.name: host.services.get(item.name) for item in recipe.services}
    return {name: encode(definition) for name, definition in found.items() if definition}


def _files(host: Host, recipe: Recipe) -> list[str]:
    paths = [item.path for item in recipe.artifacts] + [item.path for item in recipe.files]
    paths += [member.path for artifact in recipe.artifacts for member in artifact.members]
    named = (
        path for path in paths if "*" not in path
    )  # which stands for all that is in an archive
    return [path for path in named if host.files.kind(path) is PathKind.FILE]
