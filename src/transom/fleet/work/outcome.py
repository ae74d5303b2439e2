"""What came of work on hosts, and who is told of it."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Protocol

from transom.errors import TransomError
from transom.model.answers import PlannedChange
from transom.model.event import Event
from transom.model.problem import Refusal
from transom.model.records import dataclass


class Outcome(StrEnum):
    """How it ended for a host."""

    UNCHANGED = "unchanged"
    CHANGED = "changed"
    RESET = "reset"
    FAILED = "failed"
    REFUSED = "refused"
    NOT_STARTED = "not started"


@dataclass(frozen=True, slots=True, kw_only=True)
class Applied:
    """What came of one host; `error` is why it is not as planned.

    `not_applied` is what the fleet says and the node still does not have.
    """

    host: str
    outcome: Outcome
    changed: tuple[str, ...] = ()
    ready: bool | None = None
    kubelet: str = ""
    notes: tuple[str, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    error: TransomError | None = None
    elapsed_s: float = 0.0
    not_applied: tuple[PlannedChange, ...] = ()


class Watcher(Protocol):
    """Whoever looks on at one host."""

    def stage(self, text: str) -> None:
        """Something begins."""
        ...

    def event(self, event: Event) -> None:
        """The node program says something."""
        ...


class FleetWatcher(Protocol):
    """Whoever looks on at all: one watcher per host, and each host's end."""

    def host(self, name: str) -> Watcher:
        """The watcher of a host whose work begins."""
        ...

    def done(self, applied: Applied) -> None:
        """A host's end."""
        ...


def leave(watcher: FleetWatcher, names: Iterable[str], error: TransomError) -> None:
    """Tell of hosts that are not begun, and why."""
    for name in names:
        watcher.done(Applied(host=name, outcome=Outcome.NOT_STARTED, error=error))
