"""Turning phases: the one place where work on hosts waits for something.

A phase looks first, does one thing, may be turned again, and says what it waits for. A controller turns a
list of them once each time it is called (`Turning.turn`); a terminal turns it to its end
(`Turning.to_the_end`). No other module of `fleet` sleeps.
"""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, Protocol, TypeVar

from transom.errors import PermanentError, TemporaryError, TransomError
from transom.model.records import dataclass

# An API server that has just started forbids what it allows a moment later: it has not read the roles yet.
_FORBIDDEN_S = 60.0
_POLL_S = 1.0


class Clock(Protocol):
    """What tells the time and lets it pass."""

    def monotonic(self) -> float:
        """Seconds that never go back."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Let time pass."""
        ...


class RealClock:
    """The machine's own time."""

    def monotonic(self) -> float:
        """Seconds since the machine started."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A phase is to be turned again in `poll_s`; `error` is the failure where that takes too long.

    `what` is told to whoever looks on. The phase's deadline ends the wait, or `until_s` by the clock.
    """

    error: TransomError
    what: str = ""
    poll_s: float = _POLL_S
    until_s: float = math.inf


@dataclass(frozen=True, slots=True)
class Failed:
    """A phase cannot come to its end, whatever is tried again."""

    error: TransomError


Turn = Waiting | Failed | None
"""What came of a turn; None where the phase came to its end.

An error that is raised is that of a door: it is waited out where the phase has a deadline.
"""

W = TypeVar("W")
W_contra = TypeVar("W_contra", contravariant=True)


async def _nothing(_work: object, _error: TransomError) -> bool:
    """Leave everything as it is."""
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Phase(Generic[W_contra]):
    """One thing that is done to a host, or to its Node.

    It is left out unless `when`. `says` is told as it begins. Without a `deadline_s` a door's error is its
    failure; with one it is tried again until then. `give_up` puts right what a failure leaves, and says whether the
    work goes on all the same.
    """

    name: str
    turn: Callable[[W_contra], Awaitable[Turn]]
    says: str = ""
    when: Callable[[W_contra], bool] = lambda _work: True
    deadline_s: Callable[[W_contra], float] | None = None
    give_up: Callable[[W_contra, TransomError], Awaitable[bool]] = _nothing


class Turning(Generic[W]):
    """One piece of work on its way through its phases."""

    def __init__(
        self,
        phases: Sequence[Phase[W]],
        work: W,
        clock: Clock,
        *,
        tell: Callable[[str], None] = lambda _text: None,
    ) -> None:
        self._phases = phases
        self._work = work
        self._clock = clock
        self._tell = tell
        self._at = 0
        self._is_begun = False
        self._deadline_s = math.inf
        self._forbidden_until_s = math.inf
        self._told = ""

    async def turn(self) -> Waiting | None:
        """Go on until a phase has to wait; None where all have come to their end. Raise what failed."""
        while self._at < len(self._phases):
            phase = self._phases[self._at]
            if self._is_begun or phase.when(self._work):
                self._begin(phase)
                waiting = await self._turn(phase)
                if waiting is not None:
                    return waiting
            self._at, self._is_begun = self._at + 1, False
        return None

    async def to_the_end(self) -> None:
        """Turn until all phases have come to their end."""
        while (waiting := await self.turn()) is not None:
            await self._clock.sleep(waiting.poll_s)

    def _begin(self, phase: Phase[W]) -> None:
        if self._is_begun:
            return
        limit_s = math.inf if phase.deadline_s is None else phase.deadline_s(self._work)
        self._is_begun, self._deadline_s = True, self._clock.monotonic() + limit_s
        self._forbidden_until_s = math.inf
        self._say(phase.says)

    async def _turn(self, phase: Phase[W]) -> Waiting | None:
        try:
            found = await phase.turn(self._work)
        except TransomError as error:
            found = Failed(error) if phase.deadline_s is None else self._wait_out(error)
        else:
            self._forbidden_until_s = math.inf
        if isinstance(found, Waiting):
            last_s = min(found.until_s, self._deadline_s)
            if self._clock.monotonic() + found.poll_s <= last_s:
                self._say(found.what)
                return found
            found = Failed(found.error)
        if isinstance(found, Failed) and not await phase.give_up(self._work, found.error):
            raise found.error
        return None

    def _wait_out(self, error: TransomError) -> Waiting | Failed:
        """Wait through a restart of the API server; what it forbids for longer than that stays forbidden."""
        if isinstance(error, TemporaryError):
            return Waiting(error=error)
        if not isinstance(error, PermanentError):
            return Failed(error)
        limit_s = self._clock.monotonic() + _FORBIDDEN_S
        self._forbidden_until_s = min(self._forbidden_until_s, limit_s)
        return Waiting(error=error, until_s=self._forbidden_until_s)

    def _say(self, text: str) -> None:
        if text and text != self._told:
            self._told = text
            self._tell(text)


async def until(
    look: Callable[[], Awaitable[Turn]],
    clock: Clock,
    *,
    deadline_s: float,
    tell: Callable[[str], None] = lambda _text: None,
) -> None:
    """Turn one thing that is no phase of a host to its end."""
    phase = Phase[None](name="", turn=lambda _work: look(), deadline_s=lambda _work: deadline_s)
    await Turning([phase], None, clock, tell=tell).to_the_end()
