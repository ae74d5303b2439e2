"""What a run on a host says while it works: its events, how it ended, and its failure as the error that it is there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from transom.errors import (
    PermanentError,
    TemporaryError,
    TransomError,
    UnsupportedError,
    UsageError,
)
from transom.fleet.on_host.answer import document_in, read_answer
from transom.model import records
from transom.model.event import Event, State
from transom.model.step_id import StepId

_FAMILIES: Mapping[str, type[TransomError]] = {
    "UsageError": UsageError,
    "InvalidDocument": UsageError,
    "Refused": UnsupportedError,
    "UnsupportedError": UnsupportedError,
    "TemporaryError": TemporaryError,
    "NotBegun": TemporaryError,
    "InUse": TemporaryError,
}
_ENDS = (State.DONE, State.REBOOT, State.CANCELLED, State.FAILED)

OnEvent = Callable[[Event], None]


@records.dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended, which steps changed something, and what it said last."""

    state: State
    changed: tuple[str, ...]
    message: str
    error: str = ""
    hint: str = ""


@dataclass
class RunWatch:
    """Turns the lines that a run prints into events, and knows how it ended."""

    on_event: OnEvent
    seen: int = 0
    changed: list[str] = field(default_factory=list)
    reasons: list[Event] = field(default_factory=list)
    ended: Ended | None = None

    def line(self, line: bytes) -> None:
        """Take one line."""
        document = document_in(line)
        if document is None or "seq" not in document:
            return
        event = read_answer(Event, document)
        if event.state is State.CHANGED or (event.state is State.UNDONE and event.step):
            self.changed.append(event.step)
        if event.step == StepId.PREFLIGHT and event.state is State.FAILED and event.hint:
            self.reasons.append(event)
        if event.seq > self.seen:
            self.on_event(event)
        if not event.step and event.state in _ENDS:
            said = self.reasons or [event]
            self.ended = Ended(
                event.state,
                tuple(self.changed),
                "; ".join(reason.message for reason in said),
                event.error,
                " ".join(reason.hint for reason in said),
            )


def failure(error: str, message: str, *, subject: str, hint: str) -> TransomError:
    """What the node program said went wrong, as the error that it is there."""
    kind = _FAMILIES.get(error, PermanentError)
    again = "run the same command again in a while" if kind is TemporaryError else ""
    return kind(message, subject=subject, hint=hint or again)
