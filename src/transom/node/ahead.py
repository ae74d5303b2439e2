"""What of a request takes long to look at and is looked at in any case: begun before its step asks.

Called by the transient service as soon as it has its request. Only looks, and knows no step: what a
step asks for, the host waits for where it was begun, and finds where it was not.
"""

from collections.abc import Iterator

from transom.model.recipe import Artifact
from transom.model.request import Request, Verb
from transom.node.host.files import PART
from transom.node.host.protocols import Machine

_LOOKING = (Verb.PREPARE, Verb.JOIN, Verb.UPGRADE)


def look_ahead(machine: Machine, request: Request) -> None:
    """Begin with the states of features and the sums of programs, there or just brought."""
    if request.verb in _LOOKING:
        recipe = request.recipe
        machine.look_ahead(
            features=[feature.name for feature in recipe.features],
            files=[path for artifact in recipe.artifacts for path in _programs(artifact)],
        )


def _programs(artifact: Artifact) -> Iterator[str]:
    yield from [member.path for member in artifact.members] or [artifact.path]
    yield artifact.path + PART
