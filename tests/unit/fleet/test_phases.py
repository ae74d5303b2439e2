"""The lists of phases: in the order that is documented, and turned by whoever forgets everything in between."""

import asyncio
import re
from pathlib import Path

from tests.support.fleet_apply import Watcher, _with_pods, apply

from transom.fleet.phases import CHANGE
from transom.fleet.survey import survey_fleet
from transom.fleet.turning import Turning
from transom.fleet.work.change import ChangeWork
from transom.fleet.work.cordon import Holder, cordon_of
from transom.model.answers import Survey

ROOT = Path(__file__).parents[3]


def test_the_architecture_page_names_the_phases_of_an_apply_in_their_order():
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    life = text.partition("## Life of an apply")[2].partition("##")[0]
    rows = re.findall(r"^\| (\w+) \|", life, flags=re.MULTILINE)
    assert rows == ["phase", *dict.fromkeys(phase.name for phase in CHANGE)]


async def reconcile(simulation, holder, name="win-01"):
    """One look and one turn, as a controller takes them: nothing is kept from the last one."""
    doors = simulation.doors()
    surveyed = await survey_fleet(simulation.fleet, simulation.lock, doors)
    planned = {host.name: host for host in surveyed.plan.hosts}[name]
    if not planned.steps:
        return "as planned"
    survey = surveyed.surveys[name]
    assert isinstance(survey, Survey)
    work = ChangeWork(
        host={host.name: host for host in surveyed.plan.fleet.hosts}[name],
        request=surveyed.requests[name],
        doors=doors,
        holder=holder,
        watcher=Watcher().host(name),
        drains=planned.drains,
        planned=planned,
        survey=survey,
        entry=surveyed.entry,
        fleet="shop",
    )
    try:
        waiting = await Turning(CHANGE, work, doors.clock).turn()
    finally:
        await work.close()
    return waiting.what if waiting is not None else "done"


def test_a_controller_that_forgets_everything_between_its_turns_comes_to_the_same_end(simulation):
    apply(simulation)
    _with_pods(simulation, budget=2)
    simulation.machines["win-01"].host.features.disable("Containers")
    slept: list[float] = []
    simulation.sleep = slept.append
    holder = Holder(name="operator", verb="apply", run="for ever")
    said = [asyncio.run(reconcile(simulation, holder)) for _ in range(3)]
    assert said == ["wait until shop/web-1 has left"] * 3
    held = cordon_of(simulation.api.held_nodes["win-01"])
    assert held is not None
    assert held.holder == "operator"
    simulation.api.budgets.clear()
    assert asyncio.run(reconcile(simulation, holder)) == "done"
    assert asyncio.run(reconcile(simulation, holder)) == "as planned"
    assert not simulation.api.held_nodes["win-01"].unschedulable
    assert simulation.machines["win-01"].open_sessions == 0
    assert slept == []
