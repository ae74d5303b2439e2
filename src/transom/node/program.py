"""The node program's command line: reads a request on stdin, answers in JSON on stdout.

Without arguments it reads an order on stdin, which has everything: the way of whoever comes by the
network, so that neither verb nor secret is part of a command line there. Started on a host by `transom apply`, boot data, an image build or a pod. Its output is for programs:
events as lines while a run goes on, then one document. The exit code is that of the error tree, 0
when done, 1 when doctor or a self-test found something, 4 when a reboot has to come first.
"""

import argparse
import contextlib
import hashlib
import io
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any, TextIO

from transom.errors import InvalidDocument, Refused, TransomError, UsageError
from transom.model.answers import (
    Failure,
    Leftovers,
    NodeStatus,
    Plan,
    PlannedChange,
    PlannedStep,
    Result,
    Survey,
)
from transom.model.codec import decode, encode
from transom.model.journal import ADOPTED, Drift
from transom.model.order import read_order
from transom.model.problem import Mistake, Refusal
from transom.model.recipe import API_VERSION
from transom.model.request import JoinSecrets, Request, SourceAccess, Verb, run_name
from transom.node import entry
from transom.node.attach import follow
from transom.node.boot import JOIN_CONFIGURATION, SENTINEL, Boot, boot
from transom.node.doctor.arguments import VERBS as LOOKS_FOR_CAUSES
from transom.node.doctor.arguments import add_arguments as add_doctor_arguments
from transom.node.host.protocols import Machine, ReadFiles
from transom.node.host.values import PathKind
from transom.node.inventory import inventory
from transom.node.journal import Journal
from transom.node.kubeconfig import read_access
from transom.node.layout import Layout
from transom.node.leftovers import leftovers
from transom.node.run import keep_networks
from transom.node.run.arguments import VERB as KEEPING
from transom.node.run.arguments import add_arguments as add_keeping_arguments
from transom.node.run.states import program_states
from transom.node.runner import Ending, Outcome, Runner
from transom.node.selftest import selftest
from transom.node.step import Disruption, Step
from transom.node.steps.join import Layout as JoinLayout
from transom.node.steps.preflight import cautions
from transom.node.watch import JOIN, watch
from transom.node.words import words

_RUNS = {verb.value for verb in Verb if verb is not Verb.PLAN}
_LOOKING = ("inventory", "status", "plan", "survey", "leftovers")
_EXIT = {Ending.DONE: 0, Ending.REBOOT: 4, Ending.CANCELLED: 5}


def main(
    argv: Sequence[str] | None = None,
    *,
    machine: Machine | None = None,
    stdin: TextIO | None = None,
    stdout: TextIO | None = None,
) -> int:
    """Do one verb; every failure is a document and an exit code, never a traceback."""
    given, out = stdin or sys.stdin, stdout or sys.stdout
    options = argparse.Namespace(output="json")

    def say(document: Any) -> None:
        if not isinstance(document, str):
            shown, in_words = encode(document), getattr(options, "output", "json") == "text"
            document = words(shown) if in_words else json.dumps(shown) + "\n"
        out.write(document)
        out.flush()

    try:
        argv = sys.argv[1:] if argv is None else argv
        if not argv:
            argv, given = _ordered(given.read())
        options = _parser().parse_args(argv)
        return _do(options, machine or this_machine(), given, say)
    except TransomError as error:
        say(_failure(error))
        return error.exit_code


def _ordered(text: str) -> tuple[Sequence[str], TextIO]:
    """The words and the standard input that an order stands for."""
    try:
        order = read_order(text)
    except (ValueError, RecursionError) as error:
        raise InvalidDocument([Mistake(str(error))], subject="the order") from error
    return (order.verb, *order.options), io.StringIO(json.dumps(order.input))


def this_machine() -> Machine:
    """The Windows machine this runs on."""
    if sys.platform == "win32":
        from transom.node.host.windows import WindowsHost

        return WindowsHost()
    raise UsageError("the node program runs on Windows", hint="Use `transom apply` from elsewhere.")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="node.pyz", description=__doc__)
    verbs = parser.add_subparsers(dest="verb", required=True)
    others = (
        "boot",
        "plan",
        "leftovers",
        "survey",
        "inventory",
        "status",
        "attach",
        "cancel",
        "selftest",
        "watch",
        *LOOKS_FOR_CAUSES,
    )
    for name in (*sorted(_RUNS), *others):
        verb = verbs.add_parser(name)
        verb.add_argument("--home", default=Layout().home, help="where the program keeps its state")
        if name in _RUNS or name in ("attach", "watch"):
            verb.add_argument("--run", default="", help="the run's name")
        if name in _RUNS:
            verb.add_argument("--foreground", action="store_true", help="work in this session")
            verb.add_argument("--service", action="store_true", help=argparse.SUPPRESS)
            verb.add_argument("-o", "--output", choices=["text", "json"], default="json")
        if name in entry.VERBS:
            entry.add_arguments(verb, name)
        if name in LOOKS_FOR_CAUSES:
            add_doctor_arguments(verb, name)
        if name == Verb.PREPARE.value:
            verb.add_argument(
                "--image", action="store_true", help="make a model for copies, in this session"
            )
        if name == Verb.JOIN.value:
            verb.add_argument(
                "--kubeconfig", default="", help="join without kubeadm, with this file's credential"
            )
        if name == "boot":
            verb.add_argument("--request", required=True, help="the request, without secrets")
            verb.add_argument("--join", default=JOIN_CONFIGURATION, help="kubeadm's configuration")
            verb.add_argument("--sentinel", default=SENTINEL, help="written after success")
            verb.add_argument(
                "--secret", default="", help="where the configuration is fetched from"
            )
            verb.add_argument("--prepare", action="store_true", help="somebody else joins")
        if name == "attach":
            verb.add_argument("--from", dest="offset", type=int, default=0, help="byte to begin at")
    add_keeping_arguments(verbs.add_parser(KEEPING))
    keep_networks.add_arguments(verbs.add_parser(keep_networks.VERB))
    return parser


def _do(
    options: argparse.Namespace, machine: Machine, stdin: TextIO, say: Callable[[Any], None]
) -> int:
    layout = Layout(options.home)
    if options.verb in _LOOKING:
        say(_look(options, machine, layout, stdin))
    elif options.verb == "cancel":
        machine.files.write(layout.cancel, b"")
    elif options.verb == "selftest":
        report = selftest(machine)
        say(report)
        return 1 if report.failed else 0
    elif options.verb == "watch":
        watch(machine, layout, options.run, read_request(stdin.read(), Verb.JOIN))
    elif options.verb == "attach":
        return follow(machine, layout, options.run, options.offset, say)
    else:
        return _work(options, machine, stdin, say)
    return 0


def _look(options: argparse.Namespace, machine: Machine, layout: Layout, stdin: TextIO) -> Any:
    """The document of a verb that only looks."""
    if options.verb == "inventory":
        return inventory(machine, layout, features=True)
    if options.verb == "status":
        return _status(machine, layout)
    return _LOOKS[options.verb](machine, layout, read_request(stdin.read(), Verb.PLAN))


def _work(
    options: argparse.Namespace, machine: Machine, stdin: TextIO, say: Callable[[Any], None]
) -> int:
    """The verbs that answer for their own exit code."""
    if options.verb in LOOKS_FOR_CAUSES:
        from transom.node.doctor import verbs as doctor

        return doctor.run(options, machine, stdin, say)
    if options.verb == "boot":
        return _boot(options, machine, say)
    if options.verb == KEEPING:
        from transom.node.run import verb as keeping

        return keeping.run(options, machine, Layout(options.home), say)
    if options.verb == keep_networks.VERB:
        return keep_networks.run(options, machine, Layout(options.home))
    return _run(options, machine, stdin, say)


def _run(
    options: argparse.Namespace, machine: Machine, stdin: TextIO, say: Callable[[Any], None]
) -> int:
    verb = Verb(options.verb)
    if options.service:
        machine.background.serve(lambda payload: _serve(options, machine, payload.decode()))
        return 0
    if entry.is_asked(options):
        request = entry.request_from_files(options, machine.files, verb, stdin)
    else:
        request = read_request(stdin.read(), verb)
    if verb is Verb.JOIN and options.kubeconfig:
        request = _by_hand(request, machine.files.read(options.kubeconfig).decode())
    if verb is Verb.PREPARE and options.image:
        request = replace(request, image=True)
    started = datetime.fromtimestamp(machine.clock.now(), UTC)
    name = options.run or run_name(started, verb.value)
    layout = Layout(options.home)
    if machine.files.kind(layout.events(name)) is not PathKind.ABSENT:
        raise UsageError(f"there was a run {name} already", hint="Give this one another name.")
    if not (options.foreground or request.image):
        place = ("--home", options.home, "--run", name)
        argv = (sys.executable, sys.argv[0], verb.value, *place, "--service")
        machine.background.start(argv, json.dumps(encode(request)).encode())
        return follow(machine, layout, name, 0, say)
    leave = partial(_leave_watch, machine, options.home, name)
    outcome = Runner(machine, layout, name, listener=say, afterwards=leave).execute(request)
    verb_name, ending = request.verb.value, outcome.ending.value
    say(Result(run=name, verb=verb_name, ending=ending, changed=outcome.changed))
    return _EXIT[outcome.ending]


def _boot(options: argparse.Namespace, machine: Machine, say: Callable[[Any], None]) -> int:
    started = datetime.fromtimestamp(machine.clock.now(), UTC)
    name = run_name(started, "boot")
    plan = Boot(
        request=options.request,
        join=options.join,
        sentinel=options.sentinel,
        prepare=options.prepare,
        secret=options.secret,
    )
    leave = partial(_leave_watch, machine, options.home, name)
    return boot(machine, Layout(options.home), plan, run=name, say=say, afterwards=leave)


def _by_hand(request: Request, kubeconfig: str) -> Request:
    endpoint = read_access(kubeconfig).endpoint
    secrets = JoinSecrets(endpoint=endpoint, token="", ca_hashes=(), kubeconfig=kubeconfig)
    return replace(request, join=secrets)


def _serve(options: argparse.Namespace, machine: Machine, text: str) -> None:
    """Work as the transient service: whoever wants to know reads the event file."""
    request = read_request(text, Verb(options.verb))
    with contextlib.suppress(TransomError):  # the run has written it down
        leave = partial(_leave_watch, machine, options.home, options.run)
        Runner(machine, Layout(options.home), options.run, afterwards=leave).execute(request)


def _leave_watch(
    machine: Machine, home: str, name: str, request: Request, outcome: Outcome
) -> None:
    """After a join, leave somebody behind who sees the pod network come; without the token."""
    if request.join is not None and JOIN in outcome.changed and request.recipe.network.name:
        argv = (sys.executable, sys.argv[0], "watch", "--home", home, "--run", name)
        without = replace(request.join, token="", kubeconfig="")
        tokenless = replace(request, join=without, access=SourceAccess())
        machine.background.leave(argv, json.dumps(encode(tokenless)).encode())


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


def _planned(machine: Machine, layout: Layout, request: Request) -> Plan:
    steps = Runner(machine, layout, "plan").plan(request)
    return _plan(steps, cautions(machine, request.recipe))


def _look_leftovers(machine: Machine, _layout: Layout, request: Request) -> Leftovers:
    return Leftovers(items=leftovers(machine, request.recipe))


def _plan(steps: list[tuple[Step, Sequence[Drift]]], warnings: list[str]) -> Plan:
    return Plan(
        steps=tuple(
            PlannedStep(
                step=step.id,
                title=step.title,
                disruption=step.disruption.value if drift else Disruption.NONE.value,
                drift=tuple(_shown(item) for item in drift),
            )
            for step, drift in steps
        ),
        warnings=tuple(warnings),
    )


def _shown(drift: Drift) -> PlannedChange:
    change = PlannedChange(subject=drift.subject, found=drift.found, wanted=drift.wanted)
    if isinstance(drift.item, Refusal):
        reason = drift.item
        return replace(change, id=reason.id, fix=reason.fix, source=reason.source)
    return change


def _survey(machine: Machine, layout: Layout, request: Request) -> Survey:
    """Look once at everything; writes nothing."""
    files, joined = machine.files, JoinLayout.of(request.recipe.join)
    return Survey(
        program=hashlib.sha256(_content(files, layout.program)).hexdigest(),
        inventory=inventory(machine, layout),
        status=_status(machine, layout),
        plan=_planned(machine, layout, request),
        member=files.kind(joined.kubeconfig) is PathKind.FILE,
        authority=_content(files, joined.ca_certificate).decode("ascii", "replace"),
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


def _failure(error: TransomError) -> Failure:
    return Failure(
        error=type(error).__name__,
        message=error.message,
        subject=error.subject,
        hint=error.hint,
        refused=tuple(error.refusals) if isinstance(error, Refused) else (),
        mistakes=tuple(error.mistakes) if isinstance(error, InvalidDocument) else (),
    )


_LOOKS: Mapping[str, Callable[[Machine, Layout, Request], Any]] = {
    "plan": _planned,
    "leftovers": _look_leftovers,
    "survey": _survey,
}
