"""A simulated host, and what tests of one machine work with."""

import asyncio
from dataclasses import dataclass, field, replace
from datetime import timedelta

from tests.simulation import (
    NOW,
    Cluster,
    Machine,
    config_maps,
    lock_of,
    python_archive,
)

from transom.fleet.doors import FleetDoors
from transom.fleet.on_host.program import Brought, own_program
from transom.fleet.one_host import Wish
from transom.model.fleet import Source
from transom.site import one_host


@dataclass
class World(Machine):
    """One host, one cluster, and what was noticed."""

    stages: list[str] = field(default_factory=list)
    steps: list[tuple[str, str]] = field(default_factory=list)
    time_s: float = 0.0
    asked: int = 0

    def __post_init__(self):
        super().__post_init__()
        self.api = Cluster(
            server_version="1.37.1", config_maps=config_maps(), machines={self.name: self}
        )

    def doors(self, **changes):
        values = {
            "api": self.api,
            "connect": lambda _host: self.reach,
            "clock": self,
            "now": self.now,
            "bring": lambda: Brought(python_archive(), own_program()),
            "parallel": 1,
        }
        return FleetDoors(**{**values, **changes})

    async def reach(self):
        return await self.connect()

    def one(self, *, doors=None, pin=None, **wish):
        """The host, as a person names it."""
        return one_host.OneHost(
            wish=replace(Wish(address="10.0.0.21", source=Source()), **wish),
            connect=self.reach,
            doors=self.doors(**(doors or {})),
            pin=pin or self.pin,
            watcher=Lines(self),
        )

    def join(self, **how):
        return asyncio.run(one_host.join(self.one(**how)))

    def upgrade(self, *, anew=False, **how):
        return asyncio.run(one_host.upgrade(self.one(**how), may_join_anew=anew))

    def adopt(self, **how):
        return asyncio.run(one_host.adopt(self.one(**how)))

    def reset(self, **how):
        return asyncio.run(one_host.reset(self.one(), **how))

    def monotonic(self):
        return self.time_s

    def now(self):
        """Its date, a second later whenever it is asked for: no two runs have one name."""
        self.asked += 1
        return NOW + timedelta(seconds=self.asked)

    async def sleep(self, seconds):
        self.time_s += seconds
        await asyncio.sleep(0)

    def stage(self, text):
        self.stages.append(text)

    def event(self, event):
        self.steps.append((event.step, event.state.value))

    def pin(self, fleet):
        return lock_of([fleet], [self.host])


class Lines:
    """Looks on at the only host there is."""

    def __init__(self, world):
        self._world = world

    def host(self, _name):
        return self._world

    def done(self, applied):
        """Nothing to remember."""
