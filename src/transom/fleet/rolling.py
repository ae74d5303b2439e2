"""Going through a fleet wave by wave, never with more of a pool away than it allows.

`Roll` decides what comes next from who is away, and neither asks nor waits: a controller makes one each time it is called.
`Rolling` is how a terminal goes through one: before each wave it asks the cluster who is away, so that what others
take meanwhile counts too. Between waves it waits for nodes that are away and for a cluster that does not answer; at
the beginning, where nothing was begun yet, it reports them at once. Every host is either in a wave or left with the reason.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

from transom.errors import TemporaryError, TransomError
from transom.fleet.planning.waves import (
    Away,
    Pool,
    away_of,
    named_away,
    next_wave,
    no_room,
    pools_of,
)
from transom.fleet.turning import Clock, Failed, Turn, Waiting, until
from transom.kube.api import Api
from transom.model.fleet import Fleet
from transom.model.records import dataclass

_ROOM_S = 300.0
_API_S = 60.0
_POLL_S = 5.0


class Roll:
    """The hosts of a fleet that are still to be disturbed, and which of them come next.

    `begun` where a wave was begun before: room for another is worth waiting for then. With `keep_going` a
    pool without room is left, and the next one goes on.
    """

    def __init__(
        self,
        fleet: Fleet,
        hosts: Collection[str],
        *,
        begun: bool = False,
        keep_going: bool = False,
    ) -> None:
        self._order = [host.name for host in fleet.hosts]
        self._pools = pools_of(fleet)
        self._left = set(hosts)
        self._keep_going = keep_going
        self.begun = begun

    @property
    def first(self) -> str | None:
        """The host whose turn it is; None where every host was in a wave or left."""
        pool = self._pool
        return None if pool is None else next(name for name in pool.hosts if name in self._left)

    @property
    def pause_s(self) -> int:
        """How long the next wave waits after the one before."""
        pool = self._pool
        return pool.pause_s if pool and self.begun else 0

    def decide(self, away: Mapping[str, Away]) -> tuple[str, ...] | Waiting | Failed:
        """Name the next wave while these nodes are away, or what it waits for."""
        pool = self._pool
        assert pool is not None
        wave = next_wave(pool, self._left, away)
        if wave:
            return wave
        error = no_room(pool, away)
        if not self.begun:
            return Failed(error)
        said = named_away(pool, away)
        what = f"wait at most {_ROOM_S:.0f} s until fewer nodes are away: {said}"
        return Waiting(error=error, what=what, poll_s=_POLL_S)

    def begin(self, wave: Collection[str]) -> None:
        """Count these hosts as disturbed."""
        self.begun = True
        self._left.difference_update(wave)

    def give_up(self) -> tuple[str, ...]:
        """Leave the pool whose turn it is, or everything; name the hosts."""
        pool = self._pool
        chosen = self._left.intersection(pool.hosts) if pool and self._keep_going else self._left
        leaving = tuple(name for name in self._order if name in chosen)
        self._left.difference_update(leaving)
        return leaving

    @property
    def _pool(self) -> Pool | None:
        return next((pool for pool in self._pools if not self._left.isdisjoint(pool.hosts)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rolling:
    """How waves are gone through at a terminal; without an `api` nobody knows who is away.

    `do` works on a wave and says whether it went well, `leave` gets hosts that are not begun and
    why, `wait` a host that waits and for what. The first wave that fails is the last, and so is a
    pool without room, unless it is to `keep_going`.
    """

    fleet: Fleet
    api: Api | None
    clock: Clock
    do: Callable[[Sequence[str]], Awaitable[bool]]
    leave: Callable[[Sequence[str], TransomError], None]
    wait: Callable[[str, str], None]
    keep_going: bool = False

    async def through(self, hosts: Collection[str]) -> None:
        """Have every host in one wave, or left with the reason."""
        roll = Roll(self.fleet, hosts, keep_going=self.keep_going)
        while (first := roll.first) is not None:
            if roll.pause_s:
                self.wait(first, f"pause {roll.pause_s} s before the next wave")
                await self.clock.sleep(roll.pause_s)
            try:
                wave = await self._room(roll, first)
            except TransomError as error:
                self.leave(roll.give_up(), error)
                continue
            roll.begin(wave)
            if not await self.do(wave) and not self.keep_going:
                self.leave(roll.give_up(), _failed())

    async def _room(self, roll: Roll, first: str) -> tuple[str, ...]:
        """Wait for the next wave as long as room for one is worth waiting for."""
        wave: tuple[str, ...] = ()

        async def look() -> Turn:
            nonlocal wave
            found = roll.decide(await self._away())
            if not isinstance(found, tuple):
                return found
            wave = found
            return None

        limit_s = _ROOM_S if roll.begun else _API_S
        await until(look, self.clock, deadline_s=limit_s, tell=lambda text: self.wait(first, text))
        return wave

    async def _away(self) -> Mapping[str, Away]:
        api = self.api
        if api is None:
            return {}
        return away_of(self.fleet, await api.nodes())


def _failed() -> TemporaryError:
    return TemporaryError("a wave before this one failed", hint="fix it, then re-run the command")
