"""`transom doctor`: why a node does not work, by the name of the cause, and what to do."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli.options import visits
from transom.cli.output import console
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.fleet.diagnose import Diagnosed

SUMMARY = "Find out why a Windows node does not work; nothing is changed on the host."

_EXAMPLES = """\
examples:
  transom doctor 10.0.0.21
  transom doctor 10.0.0.21 --context prod -o json
  transom doctor -f fleet.yaml                every host of the fleet; --host and --pool choose
  transom doctor --archive transom-win-01-20260102T030400Z.zip

The cluster is asked too where there is a kubeconfig, and alone where the host cannot be reached.
docs/troubleshooting.md has every cause.
exit codes: 0 no error found (there may be warnings), 1 errors found, 2 usage,
            4 the host cannot be reached, 5 failed
"""


def configure(parser: ArgumentParser) -> None:
    """Add the host, or the archives."""
    parser.epilog = _EXAMPLES
    visits.add_arguments(parser)
    parser.add_argument(
        "--archive",
        action="append",
        default=[],
        metavar="FILE",
        help="look at what `transom collect` brought instead of a host; repeatable",
    )


def run(args: Namespace) -> int:
    """Look, and print the causes."""
    visits.must_be_one(args, args.archive)
    if args.archive:
        diagnosed, worst = [_of_archive(Path(file)) for file in args.archive], 0
    else:
        diagnosed, worst = _of_hosts(args)
    return max(print_diagnosed(diagnosed, args.output), worst)


def print_diagnosed(diagnosed: "list[Diagnosed]", output: str) -> int:
    """Print what was found; 1 where that is more than warnings."""
    from transom.node.doctor.report import document_of, exit_code, text_of

    findings = [finding for host in diagnosed for finding in host.findings]
    if output == "json":
        several = len(diagnosed) > 1
        unread = {
            f"{host.host}: {what}" if several else what: why
            for host in diagnosed
            for what, why in host.unread.items()
        }
        console.print_json(document_of(findings, unread, hosts=len(diagnosed)))
    else:
        texts = [text_of(host.host, host.findings, host.unread) for host in diagnosed]
        print("\n".join(texts), end="")
    return exit_code(findings)


def _of_hosts(args: Namespace) -> "tuple[list[Diagnosed], int]":
    """What was found, and the worst reason why a host could not be looked at."""
    from transom.errors import TransomError
    from transom.fleet.diagnose import Diagnosed, diagnose_host

    found = visits.visit_each(
        args, lambda place, connect, api, bring: diagnose_host(place, connect, api, bring=bring)
    )
    diagnosed = [
        Diagnosed(host=name, findings=(), unread={"the host": one.message}, error=one)
        if isinstance(one, TransomError)
        else one
        for name, one in found.items()
    ]
    missed = [one.error.exit_code for one in diagnosed if one.error is not None]
    return diagnosed, max(missed, default=0)


def _of_archive(file: Path) -> "Diagnosed":
    from transom.fleet.diagnose import Diagnosed
    from transom.node.doctor.collection import read_collection
    from transom.node.doctor.examination import examine

    try:
        with file.open("rb") as stream:
            seen = read_collection(stream, name=str(file))
    except OSError as error:
        raise UsageError(
            f"cannot read {file}", subject=str(file), hint="name a file that is there"
        ) from error
    found = examine(seen)
    return Diagnosed(host=seen.host.lower(), findings=found.findings, unread=found.unread)
