"""A run on one host, watched from here: launched once, followed over as many sessions as it takes.

Making the first network on a Windows host cuts every session to it, so a cut is no failure: a new session
attaches to the run by its name. Each call is one try; whoever calls again waits in between.
"""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from transom.errors import NotBegun, PermanentError, TemporaryError, TransomError
from transom.fleet.on_host.program import NodeProgram
from transom.fleet.on_host.run_events import Ended, OnEvent, failure
from transom.fleet.turning import Clock, Waiting
from transom.model.event import Event, State
from transom.model.request import Request
from transom.remote.session import Session

_REBOOT = ("shutdown", "/r", "/t", "1")
_REBOOT_S = 900.0
_QUICK_S = 60.0
# Making a network cuts sessions for a minute; a host that is away for longer has more than that.
_GONE_S = 600.0
# A session can be cut before the request is handed over, and nothing is begun twice.
_LAUNCHES = 3

Connect = Callable[[], Awaitable[Session]]


@dataclass
class HostRun:
    """One host's session and the runs on it, by their `name`; `session` is replaced when it was cut."""

    connect: Connect
    session: Session
    clock: Clock
    name: str
    is_under_way: bool = field(default=False, init=False)
    _begun_s: float = field(default=0.0, init=False)
    _heard_s: float = field(default=0.0, init=False)
    _renewals: int = field(default=0, init=False)
    _seen: int = field(default=0, init=False)
    _launches: int = field(default=0, init=False)
    _is_launched: bool = field(default=False, init=False)
    _back_by_s: float | None = field(default=None, init=False)
    _program: NodeProgram | None = field(default=None, init=False)

    @property
    def program(self) -> NodeProgram:
        """The node program at the other end of the session."""
        if self._program is None or self._program.session is not self.session:
            self._program = NodeProgram(self.session)
        return self._program

    def renew(self) -> None:
        """Have the next request be a run of its own."""
        self._renewals += 1
        self._seen, self._launches, self._is_launched = 0, 0, False

    @property
    def _run_name(self) -> str:
        return f"{self.name}-{self._renewals}" if self._renewals else self.name

    async def follow(self, request: Request, on_event: OnEvent) -> Ended | Waiting:
        """Launch the run, or attach to it, and follow it; raise what made it fail, in the error tree's words."""
        if not self.is_under_way:
            self._begun_s = self._heard_s = self.clock.monotonic()
            self.is_under_way = True

        def note(event: Event) -> None:
            self._seen, self._heard_s = event.seq, self.clock.monotonic()
            on_event(event)

        ended = await (
            self._attach(request, note) if self._is_launched else self._launch(request, note)
        )
        if isinstance(ended, Waiting):
            return ended
        if ended.error == NotBegun.__name__ and self._launches < _LAUNCHES:
            self._is_launched = False
            return Waiting(error=TemporaryError(ended.message, hint=ended.hint), poll_s=0)
        self.is_under_way = False
        if ended.state is State.FAILED:
            raise failure(
                ended.error,
                ended.message,
                subject=request.recipe.identity.name,
                hint=ended.hint,
            )
        return ended

    async def stop(self) -> None:
        """Ask the host to stop after the step it is at, where a run is under way.

        In a session of its own: the other ends with the command that is cut off in it.
        """
        if not self.is_under_way:
            return
        with suppress(TransomError):
            session = await self.connect()
            try:
                await NodeProgram(session).cancel()
            finally:
                await session.close()

    async def reboot(self) -> Waiting | None:
        """Reboot the host, and have a session again."""
        if self._back_by_s is None:
            self._back_by_s = self.clock.monotonic() + _REBOOT_S
            done = await self.session.run(_REBOOT, timeout_s=_QUICK_S)
            if done.code != 0:
                said = (done.stdout + done.stderr).decode(errors="replace").strip()
                raise PermanentError(f"the host refuses to reboot: {said}")
            await self.session.wait_cut(timeout_s=_REBOOT_S)
            await self.session.close()
        try:
            self.session = await self.connect()
        except TemporaryError as error:
            return Waiting(error=error, poll_s=error.delay_s, until_s=self._back_by_s)
        self._back_by_s = None
        return None

    async def _launch(self, request: Request, note: OnEvent) -> Ended | Waiting:
        self._launches, self._is_launched = self._launches + 1, True
        try:
            return await self.program.run(request, name=self._run_name, on_event=note)
        except TemporaryError as error:
            return Waiting(error=error, poll_s=0)

    async def _attach(self, request: Request, note: OnEvent) -> Ended | Waiting:
        last_s = min(self._begun_s + request.deadline_s, self._heard_s + _GONE_S)
        try:
            await self.session.close()
            self.session = await self.connect()
            self._heard_s = self.clock.monotonic()
            name, seen = self._run_name, self._seen
            return await self.program.attach(request, name=name, seen=seen, on_event=note)
        except TemporaryError as error:
            return Waiting(error=error, poll_s=error.delay_s, until_s=last_s)
