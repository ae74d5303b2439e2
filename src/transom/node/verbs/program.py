"""The node program's command line: reads a request on stdin, answers in JSON on stdout.

Without arguments it reads an order on stdin, which has everything: the way of whoever comes by the
network, so that neither verb nor secret is part of a command line there. Started on a host by `transom apply`, boot data, an image build or a pod. Its output is for programs:
events as lines while a run goes on, then one document. The exit code is that of the error tree, 0
when done, 1 when doctor or a self-test found something, 4 when a reboot has to come first.

Each verb is imported when it is asked for: to start is a good part of what a short verb takes.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from typing import Any, TextIO
from zipimport import zipimporter

from transom.errors import InvalidDocument, TransomError, UsageError
from transom.model.codec import encode
from transom.node.doctor.arguments import VERBS as LOOKS_FOR_CAUSES
from transom.node.host.protocols import Machine
from transom.node.layout import Layout
from transom.node.supervise.arguments import KEEP_NETWORKS, KEEP_RUNNING
from transom.node.verbs.arguments import LOOKING, RUNS, parser

Say = Callable[[Any], None]


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
            document = _text(encode(document), getattr(options, "output", "json"))
        out.write(document)
        out.flush()

    try:
        argv = sys.argv[1:] if argv is None else argv
        if not argv:
            argv, given = _ordered(given.read())
        options = parser(argv[0]).parse_args(argv)
        found = machine or this_machine(lasting=_is_lasting(options))
        return _do(options, found, given, say)
    except TransomError as error:
        from transom.node.verbs.failing import failure

        say(failure(error))
        return error.exit_code
    except Exception as error:  # noqa: BLE001 - our bug; Python's own exit code would mean a finding
        import traceback

        from transom.errors import InternalError
        from transom.node.verbs.failing import failure

        traceback.print_exc()
        defect = InternalError(
            f"a defect of Transom: {type(error).__name__}: {error}",
            hint="Please report it with what was written to standard error.",
        )
        say(failure(defect))
        return defect.exit_code


def this_machine(*, lasting: bool) -> Machine:
    """The Windows machine this runs on; all of it for whoever works or waits long."""
    if sys.platform == "win32":
        from transom.node.host.windows.machine import WindowsHost

        host = WindowsHost()
        if lasting and reads_its_file(__spec__.loader):
            host.import_all()
        return host
    raise UsageError("the node program runs on Windows", hint="Use `transom apply` from elsewhere.")


def reads_its_file(loader: object) -> bool:
    """Whether each module is read when it is imported; compiled, the whole program is in memory."""
    return isinstance(loader, zipimporter)


def _is_lasting(options: argparse.Namespace) -> bool:
    if options.verb in RUNS:
        return bool(options.service or options.foreground)
    return options.verb in ("boot", "compile", "watch", KEEP_RUNNING, KEEP_NETWORKS)


def _text(document: Any, form: str) -> str:
    if form != "text":
        return json.dumps(document) + "\n"
    from transom.node.verbs.words import words

    return words(document)


def _ordered(text: str) -> tuple[Sequence[str], TextIO]:
    """The words and the standard input that an order stands for."""
    import io

    from transom.model.order import read_order
    from transom.model.problem import Mistake

    try:
        order = read_order(text)
    except (ValueError, RecursionError) as error:
        raise InvalidDocument([Mistake(str(error))], subject="the order") from error
    return (order.verb, *order.options), io.StringIO(json.dumps(order.input))


def _do(options: argparse.Namespace, machine: Machine, stdin: TextIO, say: Say) -> int:
    layout = Layout(options.home)
    if options.verb in RUNS:
        return _run(options, machine, stdin, say)
    if options.verb in LOOKING:
        from transom.node.verbs.queries import look

        say(look(options, machine, layout, stdin))
        return 0
    if options.verb == "command":
        from transom.model.answers import CommandResult

        done = machine.processes.run(options.words, timeout_s=options.timeout)
        say(CommandResult(code=done.code, output=done.output))
        return 0
    if options.verb == "attach":
        from transom.node.verbs.attach import follow

        return follow(machine, layout, options.run, options.offset, say)
    return _others(options, machine, stdin, say)


def _run(options: argparse.Namespace, machine: Machine, stdin: TextIO, say: Say) -> int:
    if options.service:
        machine.background.serve(lambda payload: _serve(options, machine, payload.decode()))
        return 0
    from transom.node.verbs.launch import run

    return run(options, machine, stdin, say)


def _serve(options: argparse.Namespace, machine: Machine, text: str) -> None:
    # Only now: Windows gives a service half a minute to report, and a busy host may need that.
    from transom.model.request import Verb
    from transom.node.verbs.execute import serve
    from transom.node.verbs.request import read_request

    serve(options, machine, read_request(text, Verb(options.verb)))


def _others(options: argparse.Namespace, machine: Machine, stdin: TextIO, say: Say) -> int:
    layout = Layout(options.home)
    if options.verb in LOOKS_FOR_CAUSES:
        from transom.node.doctor import verbs as doctor

        return doctor.run(options, machine, stdin, say)
    if options.verb == KEEP_RUNNING:
        from transom.node.supervise import verb as keeping

        return keeping.run(options, machine, layout, say)
    if options.verb == KEEP_NETWORKS:
        from transom.node.supervise import keep_networks

        return keep_networks.run(options, machine, layout)
    if options.verb == "boot":
        return _boot(options, machine, say)
    if options.verb == "selftest":
        return _selftest(options, machine, say)
    _quietly(options, machine, stdin)
    return 0


def _selftest(options: argparse.Namespace, machine: Machine, say: Say) -> int:
    from transom.node.verbs.selftest import be_service, selftest

    if options.service:
        return be_service(machine, options.service)
    report = selftest(machine, program=sys.argv[0])
    say(report)
    return 1 if report.failed else 0


def _quietly(options: argparse.Namespace, machine: Machine, stdin: TextIO) -> None:
    """The verbs that say nothing."""
    layout = Layout(options.home)
    if options.verb == "cancel":
        from transom.node.verbs.attach import is_worked_at

        if not is_worked_at(machine, layout):
            raise UsageError("no run is under way on this host", hint="There is nothing to stop.")
        machine.files.write(layout.cancel, b"")
    elif options.verb == "compile":
        # So that what they need of the library is compiled as well; a join asks the API server's clock.
        import ssl  # noqa: F401

        from transom.node.packaging.compiling import keep_compiled

        keep_compiled(machine.files, layout)
    else:
        from transom.model.request import Verb
        from transom.node.verbs.request import read_request
        from transom.node.verbs.watchdog import watch

        watch(machine, layout, options.run, read_request(stdin.read(), Verb.JOIN))


def _boot(options: argparse.Namespace, machine: Machine, say: Say) -> int:
    from transom.model.request import run_name
    from transom.node.verbs.boot import Boot, boot
    from transom.node.verbs.execute import leave_watch
    from transom.node.verbs.launch import started

    layout, name = Layout(options.home), run_name(started(machine), "boot")
    plan = Boot(
        request=options.request,
        join=options.join,
        sentinel=options.sentinel,
        prepare=options.prepare,
        secret=options.secret,
    )
    afterwards = leave_watch(machine, layout, name)
    return boot(machine, layout, plan, run=name, say=say, afterwards=afterwards)
