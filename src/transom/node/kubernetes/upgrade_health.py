"""The node around an upgrade: how it was before, whether it came up after, whether it is back.

This only looks, waits and says what it saw.
"""

from transom.errors import PermanentError
from transom.model.event import Level, State
from transom.model.request import Request, Verb
from transom.node.engine.events import EventLog
from transom.node.engine.journal import Journal
from transom.node.host.protocols import Machine
from transom.node.host.values import NodeHealth
from transom.node.kubernetes.health import await_healthy, health


def health_before(machine: Machine, request: Request, journal: Journal) -> NodeHealth | None:
    """How the node is that an upgrade is about to change; None where this is no upgrade."""
    if request.verb is not Verb.UPGRADE or not journal.contents.is_node:
        return None
    found = health(machine, request.recipe)
    if found is None:
        name = request.recipe.join.node_name
        raise PermanentError(
            f"the cluster has no Node {name}", subject=name, hint="Reset it and join it again."
        )
    return found


def must_be_upgraded(machine: Machine, request: Request, before: NodeHealth, log: EventLog) -> None:
    """Wait for the upgraded node; one that was not Ready before need not be so now."""
    version, name = request.recipe.target.kubernetes, request.recipe.join.node_name
    log.emit(State.NOTED, f"waiting until {name} is Ready on {version}")
    problem = await_healthy(
        machine,
        request.recipe,
        kubernetes=version,
        ready=before.ready,
        patience_s=request.ready_s,
    )
    if problem:
        raise PermanentError(
            f"{name} was upgraded to {version} and {problem} for {request.ready_s} s",
            subject=name,
            hint="Look at the kubelet's log, then upgrade again.",
        )


def say_whether_back(machine: Machine, request: Request, before: NodeHealth, log: EventLog) -> None:
    """After everything was undone: wait for the node as it was, and say what came of it."""
    problem = await_healthy(
        machine,
        request.recipe,
        kubernetes=before.kubelet,
        ready=before.ready,
        patience_s=request.ready_s,
    )
    text = f"taken back: {request.recipe.join.node_name} runs {before.kubelet} again"
    if problem:
        log.emit(State.NOTED, f"{text}, but {problem}", level=Level.ERROR)
    else:
        log.emit(State.NOTED, f"{text}{' and is Ready' if before.ready else ''}")
