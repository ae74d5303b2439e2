"""Which steps a request is about, and what they are told: the recipe, whose the node is, what it runs.

Looks only.
"""

from typing import Any

from transom.model.journal import ADOPTED
from transom.model.records import dataclass
from transom.model.request import Request, Verb
from transom.model.step_id import StepId
from transom.model.version import Version
from transom.node.engine.journal import Contents
from transom.node.engine.kept_recipe import kept_recipe
from transom.node.engine.step import NodeSpec, Present, Step
from transom.node.host.protocols import Machine
from transom.node.layout import Layout
from transom.node.steps import PREPARE
from transom.node.steps.join import Layout as JoinLayout

_ADOPTION = (StepId.PREFLIGHT, StepId.ADOPT)


def chosen(steps: tuple[Step[Any], ...], request: Request) -> list[Step[Any]]:
    """The steps of a request, in their order."""
    if request.verb is Verb.ADOPT:
        return [step for step in steps if step.id in _ADOPTION]
    prepare = {step.id for step in PREPARE}
    whole = request.join is not None or request.verb in (Verb.JOIN, Verb.UPGRADE)
    kubernetes = Version.parse(request.recipe.target.kubernetes)
    build = request.recipe.target.windows_build
    return [
        step
        for step in steps
        if (whole or step.id in prepare)
        and kubernetes in step.applies.kubernetes
        and (not step.applies.builds or build in step.applies.builds)
    ]


def present(machine: Machine, layout: Layout, contents: Contents | None) -> Present | None:
    """What the node runs: by the recipe it was last brought to, else as it was adopted."""
    if contents is None or not contents.is_node:
        return None
    recipe = kept_recipe(machine.files, layout)
    if recipe is not None:
        target = recipe.target
        return Present(
            kubernetes=target.kubernetes,
            runtime=target.runtime,
            privileged=target.privileged,
            recipe=recipe,
        )
    found = contents.last(ADOPTED)
    before = found.before if found else None
    if before is None:
        return None
    return Present(kubernetes=before["kubernetes"], runtime=before["runtime"])


@dataclass(frozen=True, slots=True)
class Telling:
    """A request, and what the node ran when the run began: all that a step is told comes from here."""

    request: Request
    present: Present | None

    def want(self, contents: Contents | None) -> NodeSpec:
        """What a step is told, with what the journal says by now."""
        join = contents.last("kubeadm-join") if contents is not None else None
        left = JoinLayout.of(self.request.recipe.join).lasting
        return NodeSpec(
            verb=self.request.verb,
            recipe=self.request.recipe,
            join=self.request.join,
            access=self.request.access,
            cluster=self.request.owner.cluster,
            pins=self.request.pins,
            joined_by_us=contents is not None and contents.is_node,
            by_hand=join is not None and not (join.before or {}).get("kubeadm"),
            at_rest=contents is not None and contents.rests(left),
            present=self.present,
        )
