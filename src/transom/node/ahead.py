"""What of a request takes long to look at and is looked at in any case: begun before its step asks.

Called by whoever starts the transient service, which hands over what it found with the request, and
by the service as soon as it has that. Only looks, and knows no step: what a step asks for, the host
waits for where it was begun, and finds where it was not.
"""

import json
from collections.abc import Iterator

from transom.model.codec import encode
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


def payload_of(machine: Machine, request: Request) -> bytes:
    """What the service is handed: a line with the request, and one with what is found meanwhile."""
    look_ahead(machine, request)
    lines = (json.dumps(encode(request)), json.dumps(machine.known_ahead()))
    return "\n".join(lines).encode()


def taken_over(machine: Machine, text: str) -> str:
    """Know what was found ahead, and give the request."""
    request, _, known = text.partition("\n")
    if known:
        machine.take_over(json.loads(known))
    return request


def _programs(artifact: Artifact) -> Iterator[str]:
    yield from [member.path for member in artifact.members] or [artifact.path]
    yield artifact.path + PART
