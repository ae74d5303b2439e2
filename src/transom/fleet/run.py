"""A run on one host, watched from here: started once, followed over as many sessions as it takes.

Making the first network on a Windows host cuts every session to it, so a cut is no failure: a new
session attaches to the run by its name. Used by `join` and `reset`.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from transom.errors import NotBegun, PermanentError, TemporaryError, TransomError
from transom.fleet.program import Ended, NodeProgram, OnEvent, failure
from transom.model.event import Event, State
from transom.model.request import Request
from transom.remote.session import Session

_REBOOT = ("shutdown", "/r", "/t", "1")
_REBOOT_S = 900.0
_QUICK_S = 60.0
# Making a network cuts sessions for a minute; a host that is away for longer has more than that.
_GONE_S = 600.0
# A session can be cut before the request is handed over, and nothing is begun twice.
_STARTS = 3

Connect = Callable[[], Awaitable[Session]]


class Clock(Protocol):
    """Time that passes: the real one, or a test's."""

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


@dataclass
class HostRun:
    """One host's session and the run on it; `session` is replaced when it was cut."""

    connect: Connect
    session: Session
    clock: Clock
    name: str
    _met_s: float = field(default=0.0, init=False)
    _program: NodeProgram | None = field(default=None, init=False)

    @property
    def program(self) -> NodeProgram:
        """The node program at the other end of the session."""
        if self._program is None or self._program.session is not self.session:
            self._program = NodeProgram(self.session)
        return self._program

    async def reboot(self) -> None:
        """Reboot the host and have a session again."""
        deadline = self.clock.monotonic() + _REBOOT_S
        done = await self.session.run(_REBOOT, timeout_s=_QUICK_S)
        if done.code != 0:
            said = (done.stdout + done.stderr).decode(errors="replace").strip()
            raise PermanentError(f"the host refuses to reboot: {said}")
        await self.session.wait_cut(timeout_s=_REBOOT_S)
        await self.session.close()
        while True:
            try:
                self.session = await self.connect()
            except TemporaryError as error:
                if self.clock.monotonic() + error.delay_s >= deadline:
                    raise
                await self.clock.sleep(error.delay_s)
            else:
                return

    async def follow(self, request: Request, on_event: OnEvent) -> Ended:
        """Start the run and see its end; raise what made it fail, in the error tree's words.

        When this is cancelled the host is asked to stop after the step it is at.
        """
        seen, heard_s = 0, self.clock.monotonic()

        def note(event: Event) -> None:
            nonlocal seen, heard_s
            seen, heard_s = event.seq, self.clock.monotonic()
            on_event(event)

        deadline = self.clock.monotonic() + request.deadline_s
        try:
            starts, ended = 1, await self._first(request, note)
            while ended is None or (ended.error == NotBegun.__name__ and starts < _STARTS):
                if ended is not None:
                    starts, ended = starts + 1, await self._first(request, note)
                    continue
                last_s = min(deadline, max(heard_s, self._met_s) + _GONE_S)
                ended = await self._again(request, note, lambda: seen, last_s)
        except asyncio.CancelledError:
            with suppress(TransomError):
                await asyncio.shield(self._stop())
            raise
        if ended.state is State.FAILED:
            raise failure(
                ended.error,
                ended.message,
                subject=request.recipe.identity.name,
                hint=ended.hint,
            )
        return ended

    async def _stop(self) -> None:
        """Say it in a session of its own: the other ends with the command that is cut off in it."""
        session = await self.connect()
        try:
            await NodeProgram(session).cancel()
        finally:
            await session.close()

    async def _first(self, request: Request, note: OnEvent) -> Ended | None:
        try:
            return await self.program.run(request, name=self.name, on_event=note)
        except TemporaryError:
            return None

    async def _again(
        self, request: Request, note: OnEvent, seen: Callable[[], int], deadline: float
    ) -> Ended | None:
        try:
            await self.session.close()
            self.session = await self.connect()
            self._met_s = self.clock.monotonic()
            return await self.program.attach(request, name=self.name, seen=seen(), on_event=note)
        except TemporaryError as error:
            if self.clock.monotonic() + error.delay_s >= deadline:
                raise
            await self.clock.sleep(error.delay_s)
            return None
