"""The node program's command line: reads a request on stdin, answers in JSON on stdout.

Started on a host by `transom apply`, boot data, an image build or a pod. Its output is for programs:
events as lines while a run goes on, then one document. The exit code is that of the error tree, 0
when done, 1 when doctor or a self-test found something, 4 when a reboot has to come first.
"""

import argparse
import contextlib
import json
import sys
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any, TextIO

from transom.errors import InvalidDocument, Refused, TransomError, UsageError
from transom.model.codec import decode, encode
from transom.model.journal import Drift
from transom.model.problem import Mistake, Refusal
from transom.model.recipe import API_VERSION
from transom.model.request import Request, Verb
from transom.node.attach import follow
from transom.node.doctor import verbs as doctor
from transom.node.host.protocols import Machine
from transom.node.host.values import PathKind
from transom.node.inventory import inventory
from transom.node.journal import Journal
from transom.node.layout import Layout
from transom.node.runner import Ending, Outcome, Runner
from transom.node.selftest import selftest
from transom.node.step import Step

_RUNS = {verb.value for verb in Verb if verb is not Verb.PLAN}
_EXIT = {Ending.DONE: 0, Ending.REBOOT: 4, Ending.CANCELLED: 5}


def main(
    argv: Sequence[str] | None = None,
    *,
    machine: Machine | None = None,
    stdin: TextIO | None = None,
    stdout: TextIO | None = None,
) -> int:
    """Do one verb; every failure is a document and an exit code, never a traceback."""
    options = _parser().parse_args(argv)
    out = stdout or sys.stdout

    def say(document: Any) -> None:
        out.write(document if isinstance(document, str) else json.dumps(document) + "\n")
        out.flush()

    try:
        return _do(options, machine or this_machine(), stdin or sys.stdin, say)
    except TransomError as error:
        say(_failure(error))
        return error.exit_code


def this_machine() -> Machine:
    """The Windows machine this runs on."""
    if sys.platform == "win32":
        from transom.node.host.windows import WindowsHost

        return WindowsHost()
    raise UsageError("the node program runs on Windows", hint="Use `transom apply` from elsewhere.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="node.pyz", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    others = ("plan", "inventory", "status", "attach", "cancel", "selftest", *doctor.VERBS)
    for name in (*sorted(_RUNS), *others):
        verb = verbs.add_parser(name)
        verb.add_argument("--home", default=Layout().home, help="where the program keeps its state")
        if name in _RUNS or name == "attach":
            verb.add_argument("--run", default="", help="the run's name")
        if name in _RUNS:
            verb.add_argument("--foreground", action="store_true", help="work in this session")
            verb.add_argument("--service", action="store_true", help=argparse.SUPPRESS)
        if name in doctor.VERBS:
            doctor.add_arguments(verb, name)
        if name == "attach":
            verb.add_argument("--from", dest="offset", type=int, default=0, help="byte to begin at")
    return parser


def _do(
    options: argparse.Namespace, machine: Machine, stdin: TextIO, say: Callable[[Any], None]
) -> int:
    layout = Layout(options.home)
    if options.verb == "inventory":
        say(inventory(machine))
    elif options.verb == "status":
        say(_status(machine, layout))
    elif options.verb == "cancel":
        machine.files.write(layout.cancel, b"")
    elif options.verb == "selftest":
        report = selftest(machine)
        say(report)
        return 1 if report["failed"] else 0
    elif options.verb in doctor.VERBS:
        return doctor.run(options, machine, stdin, say)
    elif options.verb == "attach":
        return follow(machine, layout.events(options.run), options.offset, say)
    elif options.verb == "plan":
        request = read_request(stdin.read(), Verb.PLAN)
        say(_plan(Runner(machine, layout, "plan").plan(request)))
    else:
        return _run(options, machine, stdin, say)
    return 0


def _run(
    options: argparse.Namespace, machine: Machine, stdin: TextIO, say: Callable[[Any], None]
) -> int:
    verb = Verb(options.verb)
    if options.service:
        machine.background.serve(lambda payload: _serve(options, machine, payload.decode()))
        return 0
    text = stdin.read()
    request = read_request(text, verb)
    started = datetime.fromtimestamp(machine.clock.now(), UTC)
    name = options.run or started.strftime("%Y%m%dT%H%M%S") + f"-{verb.value}"
    layout = Layout(options.home)
    if machine.files.kind(layout.events(name)) is not PathKind.ABSENT:
        raise UsageError(f"there was a run {name} already", hint="Give this one another name.")
    if not options.foreground:
        place = ("--home", options.home, "--run", name)
        argv = (sys.executable, sys.argv[0], verb.value, *place, "--service")
        machine.background.start(argv, text.encode())
        return follow(machine, layout.events(name), 0, say)
    outcome = Runner(machine, layout, name, listener=say).execute(request)
    say(_result(name, request, outcome))
    return _EXIT[outcome.ending]


def _serve(options: argparse.Namespace, machine: Machine, text: str) -> None:
    """Work as the transient service: whoever wants to know reads the event file."""
    request = read_request(text, Verb(options.verb))
    with contextlib.suppress(TransomError):  # the run has written it down
        Runner(machine, Layout(options.home), options.run).execute(request)


def read_request(text: str, verb: Verb) -> Request:
    """Read a request; whatever is wrong with it is the caller's mistake, named by its path."""
    try:
        request = decode(Request, json.loads(text))
    except (ValueError, RecursionError) as error:
        raise InvalidDocument([Mistake(str(error))], subject="the request") from error
    if request.api_version != API_VERSION or request.kind != "Request":
        found = f"{request.api_version} {request.kind}"
        raise UsageError(f"cannot read a {found} as a request", hint=f"Send {API_VERSION} Request.")
    if request.verb is not verb:
        raise UsageError(
            f"the request says {request.verb.value}, the command {verb.value}",
            hint="They must agree.",
        )
    return request


def _plan(steps: list[tuple[Step, Sequence[Drift]]]) -> dict[str, Any]:
    return {
        "apiVersion": API_VERSION,
        "kind": "Plan",
        "steps": [
            {
                "step": step.id,
                "title": step.title,
                "disruption": step.disruption.value if drift else "none",
                "drift": [_shown(item) for item in drift],
            }
            for step, drift in steps
        ],
    }


def _shown(drift: Drift) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "subject": drift.subject,
        "found": drift.found,
        "wanted": drift.wanted,
    }
    if isinstance(drift.item, Refusal):
        shown |= {"id": drift.item.id, "fix": drift.item.fix, "source": drift.item.source}
    return shown


def _result(name: str, request: Request, outcome: Outcome) -> dict[str, Any]:
    return {
        "apiVersion": API_VERSION,
        "kind": "Result",
        "run": name,
        "verb": request.verb.value,
        "ending": outcome.ending.value,
        "changed": list(outcome.changed),
    }


def _status(machine: Machine, layout: Layout) -> dict[str, Any]:
    contents = Journal.look(machine.disk, layout.journal)
    cancelled = machine.files.kind(layout.cancel) is not PathKind.ABSENT
    return {
        "apiVersion": API_VERSION,
        "kind": "NodeStatus",
        "owner": encode(contents.owner) if contents else None,
        "intents": len(contents.intents) if contents else 0,
        "settled": contents.settled if contents else 0,
        "joined": contents.made("kubeadm-join") if contents else False,
        "cancelling": cancelled,
    }


def _failure(error: TransomError) -> dict[str, Any]:
    document: dict[str, Any] = {
        "apiVersion": API_VERSION,
        "kind": "Failure",
        "error": type(error).__name__,
        "message": error.message,
        "subject": error.subject,
        "hint": error.hint,
    }
    if isinstance(error, Refused):
        document["refused"] = encode(error.refusals)
    if isinstance(error, InvalidDocument):
        document["mistakes"] = encode(error.mistakes)
    return document
