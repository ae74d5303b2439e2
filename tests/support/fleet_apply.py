"""Applying a plan to simulated hosts, and looking on."""

import asyncio
from dataclasses import dataclass, field
from typing import Any

from tests.simulation import NOW
from tests.support.cluster import Budget

from transom.fleet.apply import Applying, apply_plan
from transom.fleet.survey import survey_fleet
from transom.fleet.work.cordon import Holder, cordon
from transom.fleet.work.outcome import Applied
from transom.kube.api import Pod


@dataclass
class Watcher:
    """Remembers everything."""

    ended: dict[str, Applied] = field(default_factory=dict)
    stages: list[tuple[str, str]] = field(default_factory=list)
    steps: list[tuple[str, str, str]] = field(default_factory=list)
    on_event: Any = None

    def host(self, name):
        watcher = self

        class One:
            def stage(self, text):
                watcher.stages.append((name, text))

            def event(self, event):
                watcher.steps.append((name, event.step, event.state.value))
                if watcher.on_event:
                    watcher.on_event(name, event)

        return One()

    def done(self, applied):
        self.ended[applied.host] = applied


def apply(simulation, *, watcher=None, approve=True, verb="apply", **doors):
    watcher = watcher or Watcher()

    async def story():
        site = simulation.doors(**doors)
        surveyed = await survey_fleet(simulation.fleet, simulation.lock, site)
        holder = Holder.of("ann", verb, site.now())
        work = Applying(
            surveyed=surveyed, doors=site, watcher=watcher, approve=approve, holder=holder
        )
        await apply_plan(work)
        return surveyed.plan

    return asyncio.run(story()), watcher


def cordoned_by(simulation, verb, name="win-01"):
    """Have a node cordoned by a run of a command that did not come to its end."""
    holder = Holder(name="bob", verb=verb, run="before")
    asyncio.run(cordon(simulation.api, name, holder, reason="", now=NOW))


def outcomes(watcher):
    return {name: ended.outcome for name, ended in watcher.ended.items()}


def _with_pods(simulation, *, budget=None):
    for number, name in enumerate(simulation.machines, 1):
        key = ("shop", f"web-{number}")
        simulation.api.pods[key] = Pod(
            namespace="shop",
            name=f"web-{number}",
            node=name,
            labels={"app": "web"},
            controller="ReplicaSet",
        )
    if budget is not None:
        simulation.api.budgets["shop", "web"] = Budget(labels={"app": "web"}, min_available=budget)
