"""The documents of verbs that only look: nothing here writes."""

import argparse
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TextIO

from transom.model.answers import (
    Leftovers,
    NodeStatus,
    Plan,
    PlannedChange,
    PlannedStep,
    Survey,
)
from transom.model.disruption import worst
from transom.model.journal import ADOPTED, Drift
from transom.model.request import Request, Verb
from transom.node.engine.journal import Journal
from transom.node.engine.leftovers import leftovers
from transom.node.engine.runner import Planned, Runner
from transom.node.host.nouns.files import ReadFiles
from transom.node.host.protocols import Machine
from transom.node.host.values import PathKind
from transom.node.kubernetes.effective import not_applied
from transom.node.layout import Layout
from transom.node.steps.join import Layout as JoinLayout
from transom.node.steps.preflight import cautions
from transom.node.supervise.states import program_states
from transom.node.verbs.inventory import inventory
from transom.node.verbs.request import read_request


def look(options: argparse.Namespace, machine: Machine, layout: Layout, stdin: TextIO) -> Any:
    """The document of a verb that only looks."""
    if options.verb == "inventory":
        return inventory(machine, layout, features=True)
    if options.verb == "status":
        return _status(machine, layout)
    return _LOOKS[options.verb](machine, layout, read_request(stdin.read(), Verb.PLAN))


def _planned(machine: Machine, layout: Layout, request: Request) -> Plan:
    planned = Runner(machine, layout, "plan").plan(request)
    return _plan(planned, cautions(machine, request.recipe))


def _look_leftovers(machine: Machine, _layout: Layout, request: Request) -> Leftovers:
    return Leftovers(items=leftovers(machine, request.recipe))


def _plan(planned: Planned, warnings: list[str]) -> Plan:
    return Plan(
        refusals=planned.refusals,
        steps=tuple(
            PlannedStep(
                step=step.id,
                title=step.title,
                disruption=worst(item.disruption or step.disruption for item in drift).value,
                drift=tuple(_shown(item) for item in drift),
            )
            for step, drift in planned.steps
        ),
        warnings=tuple(warnings),
    )


def _shown(drift: Drift[Any]) -> PlannedChange:
    return PlannedChange(subject=drift.subject, found=drift.found, wanted=drift.wanted)


def _survey(machine: Machine, layout: Layout, request: Request) -> Survey:
    """Look once at everything; writes nothing."""
    files, joined = machine.files, JoinLayout.of(request.recipe.join)
    plan = _planned(machine, layout, request)
    if not any(step.drift for step in plan.steps):
        plan = replace(plan, steps=())  # most hosts, most of the time: it need not travel
    member = files.kind(joined.kubeconfig) is PathKind.FILE
    return Survey(
        program=hashlib.sha256(_content(files, layout.program)).hexdigest(),
        inventory=inventory(machine, layout),
        status=_status(machine, layout),
        plan=plan,
        member=member,
        authority=_content(files, joined.ca_certificate).decode("ascii", "replace"),
        not_applied=not_applied(files, request.recipe) if member else (),
    )


def _content(files: ReadFiles, path: str) -> bytes:
    return files.read(path) if files.kind(path) is PathKind.FILE else b""


def _status(machine: Machine, layout: Layout) -> NodeStatus:
    contents = Journal.look(machine.disk, layout.journal)
    present = Runner(machine, layout, "status").present()
    return NodeStatus(
        owner=contents.owner if contents else None,
        intents=len(contents.intents) if contents else 0,
        settled=contents.settled if contents else 0,
        joined=contents.made("kubeadm-join") if contents else False,
        adopted=contents.made(ADOPTED) if contents else False,
        kubernetes=present.kubernetes if present else "",
        cancelling=machine.files.kind(layout.cancel) is not PathKind.ABSENT,
        programs=tuple(program_states(machine.files, layout)),
    )


_LOOKS: Mapping[str, Callable[[Machine, Layout, Request], Any]] = {
    "plan": _planned,
    "leftovers": _look_leftovers,
    "survey": _survey,
}
