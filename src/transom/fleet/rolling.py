"""Going through a fleet wave by wave, never with more of a pool away than it allows.

Called by what disturbs nodes. The cluster is asked before each wave who is away, so that what others
take meanwhile counts too. Between waves nodes that are away are waited for; at the beginning, where
nothing was begun yet, it is said at once.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

from transom.errors import TemporaryError, TransomError
from transom.fleet.run import Clock
from transom.fleet.waves import Away, Pool, away_of, named_away, next_wave, no_room, pools_of
from transom.fleet.work import patiently
from transom.kube.api import Api
from transom.model.fleet import Fleet
from transom.model.records import dataclass

_ROOM_S = 300.0
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
                wave, away = await self._room(pool, left, patient=begun)
                if wave:
                    begun = True
                    left.difference_update(wave)
                    if not await self.do(wave) and not self.keep_going:
                        self.leave(self._ordered(left), _failed())
                        return
                elif self.keep_going:
                    self.leave(self._ordered(left.intersection(pool.hosts)), no_room(pool, away))
                    left.difference_update(pool.hosts)
                else:
                    self.leave(self._ordered(left), no_room(pool, away))
                    return

    async def _room(
        self, pool: Pool, left: Collection[str], *, patient: bool
    ) -> tuple[tuple[str, ...], Mapping[str, Away]]:
        """The next wave as soon as there is room for one, and who is away."""
        deadline = self.clock.monotonic() + (_ROOM_S if patient else 0.0)
        is_told = False
        while True:
            away = await self._away()
            wave = next_wave(pool, left, away)
            if wave or self.clock.monotonic() + _POLL_S > deadline:
                return wave, away
            if not is_told:
                first = next(name for name in pool.hosts if name in left)
                said = named_away(pool, away)
                self.wait(first, f"wait at most {_ROOM_S:.0f} s until fewer nodes are away: {said}")
                is_told = True
            await self.clock.sleep(_POLL_S)

    async def _away(self) -> Mapping[str, Away]:
        api = self.api
        if api is None:
            return {}
        return away_of(self.fleet, await patiently(api.nodes, self.clock))

    def _ordered(self, hosts: Collection[str]) -> list[str]:
        return [host.name for host in self.fleet.hosts if host.name in hosts]


def _failed() -> TemporaryError:
    return TemporaryError(
        "a wave before this one failed", hint="mend it and run the same command again"
    )
