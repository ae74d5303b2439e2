"""The work of a run: in this session, as the transient service, or at a machine's first boots."""

import argparse
import contextlib
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from transom.errors import TransomError
from transom.model.codec import encode
from transom.model.request import Request, SourceAccess
from transom.node.engine.runner import Ending, Outcome, Runner
from transom.node.host.protocols import Machine
from transom.node.layout import Layout
from transom.node.verbs.watchdog import JOIN

_EXIT = {Ending.DONE: 0, Ending.REBOOT: 4, Ending.CANCELLED: 5}


def work(
    machine: Machine, layout: Layout, name: str, request: Request, say: Callable[[Any], None]
) -> int:
    """Do a run here, and tell its events as they happen."""
    from transom.model.answers import Result

    afterwards = leave_watch(machine, layout, name)
    outcome = Runner(machine, layout, name, listener=say, afterwards=afterwards).execute(request)
    verb, ending = request.verb.value, outcome.ending.value
    say(Result(run=name, verb=verb, ending=ending, changed=outcome.changed))
    return _EXIT[outcome.ending]


def serve(options: argparse.Namespace, machine: Machine, request: Request) -> None:
    """Work as the transient service: whoever wants to know reads the event file."""
    layout, name = Layout(options.home), options.run
    afterwards = leave_watch(machine, layout, name)
    with contextlib.suppress(TransomError):  # the run has written it down
        Runner(machine, layout, name, afterwards=afterwards).execute(request)


def leave_watch(machine: Machine, layout: Layout, name: str) -> Callable[[Request, Outcome], None]:
    """What leaves somebody behind after a join who sees the pod network come; without the token."""
    return partial(_leave_watch, machine, layout, name)


def _leave_watch(
    machine: Machine, layout: Layout, name: str, request: Request, outcome: Outcome
) -> None:
    if request.join is not None and JOIN in outcome.changed and request.recipe.network.name:
        argv = (sys.executable, sys.argv[0], "watch", "--home", layout.home, "--run", name)
        without = replace(request.join, token="", kubeconfig="")
        tokenless = replace(request, join=without, access=SourceAccess())
        machine.background.leave(argv, json.dumps(encode(tokenless)).encode())
