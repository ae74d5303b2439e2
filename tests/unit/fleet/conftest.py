"""A simulated host and a fleet of them, with the real node program, and a cluster in memory."""

import pytest
from tests.simulation import (
    Simulation,
    python_archive,
)
from tests.support.fleet import World

from transom.fleet.on_host.program import Brought


@pytest.fixture
def world():
    return World()


@pytest.fixture
def brought():
    return Brought(python_archive(), b"the program")


@pytest.fixture
def simulation():
    return Simulation()
