"""Resetting simulated hosts of a fleet."""

import asyncio

from tests.support.fleet_apply import Watcher

from transom.fleet.reset import reset_fleet


def reset(simulation, *hosts):
    watcher = Watcher()
    asyncio.run(reset_fleet(simulation.fleet, hosts, simulation.doors(), watcher=watcher))
    return watcher
