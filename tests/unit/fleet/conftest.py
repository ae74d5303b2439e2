"""A simulated host and a fleet of them, with the real node program, and a cluster in memory."""

from dataclasses import dataclass, field

import pytest
from tests.simulation import (
    NOW,
    Cluster,
    Machine,
    Simulation,
    config_maps,
    lock_of,
    python_archive,
)

from transom.fleet.join import Doors
from transom.fleet.program import Brought
from transom.fleet.single import Wish
from transom.model.fleet import Source


@dataclass
class World(Machine):
    """One host, one cluster, and what was noticed."""

    stages: list[str] = field(default_factory=list)
    steps: list[tuple[str, str]] = field(default_factory=list)
    time_s: float = 0.0

    def __post_init__(self):
        super().__post_init__()
        self.api = Cluster(
            server_version="1.37.1", config_maps=config_maps(), machines={self.name: self}
        )

    @property
    def doors(self):
        return Doors(api=self.api, connect=self.connect, clock=self, now=lambda: NOW)

    @property
    def wish(self):
        return Wish(address="10.0.0.21", source=Source())

    def monotonic(self):
        return self.time_s

    async def sleep(self, seconds):
        self.time_s += seconds

    def stage(self, text):
        self.stages.append(text)

    def event(self, event):
        self.steps.append((event.step, event.state.value))

    def pin(self, fleet):
        return lock_of([fleet], [self.host])


@pytest.fixture
def world():
    return World()


@pytest.fixture
def brought():
    return Brought(python_archive(), b"the program")


@pytest.fixture
def simulation():
    return Simulation()
