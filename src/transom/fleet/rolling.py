"""Going through a fleet wave by wave, never with more of a pool away than it allows.

The cluster is asked before each wave who is away, so that what others take meanwhile counts too. Between waves
nodes that are away, and a cluster that does not answer, are waited for; at the beginning, where nothing was begun yet,
it is said at once. Every host is either in a wave or left with the reason.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Rolling:
    """How waves are gone through; without an `api` nobody knows who is away.

    `do` works on a wave and says whether it went well, `leave` is told of hosts that are not begun and
    why, `wait` of a host that waits and for what. The first wave that fails is the last, and so is a
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
        left, begun = set(hosts), False
        for pool in pools_of(self.fleet):
            while not left.isdisjoint(pool.hosts):
                if begun and pool.pause_s:
                    first = next(name for name in pool.hosts if name in left)
                    self.wait(first, f"pause {pool.pause_s} s before the next wave")
                    await self.clock.sleep(pool.pause_s)
                wave = await self._room(pool, left, patient=begun)
                if isinstance(wave, TransomError):
                    leaving = left.intersection(pool.hosts) if self.keep_going else set(left)
                    self.leave(self._ordered(leaving), wave)
                    left.difference_update(leaving)
                    continue
                begun = True
                left.difference_update(wave)
                if not await self.do(wave) and not self.keep_going:
                    self.leave(self._ordered(left), _failed())
                    return

    async def _room(
        self, pool: Pool, left: Collection[str], *, patient: bool
    ) -> tuple[str, ...] | TransomError:
        """The next wave as soon as there is room for one, or why there is none."""
        wave: tuple[str, ...] = ()
        first = next(name for name in pool.hosts if name in left)

        async def look() -> Turn:
            nonlocal wave
            away = await self._away()
            wave = next_wave(pool, left, away)
            if wave:
                return None
            error = no_room(pool, away)
            if not patient:
                return Failed(error)
            said = named_away(pool, away)
            what = f"wait at most {_ROOM_S:.0f} s until fewer nodes are away: {said}"
            return Waiting(error=error, what=what, poll_s=_POLL_S)

        limit_s = _ROOM_S if patient else _API_S
        try:
            await until(
                look, self.clock, deadline_s=limit_s, tell=lambda text: self.wait(first, text)
            )
        except TransomError as error:
            return error
        return wave

    async def _away(self) -> Mapping[str, Away]:
        api = self.api
        if api is None:
            return {}
        return away_of(self.fleet, await api.nodes())

    def _ordered(self, hosts: Collection[str]) -> list[str]:
        return [host.name for host in self.fleet.hosts if host.name in hosts]


def _failed() -> TemporaryError:
    return TemporaryError(
        "a wave before this one failed", hint="mend it and run the same command again"
    )
