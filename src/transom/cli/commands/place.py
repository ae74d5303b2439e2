"""`transom place`: workloads sent to the nodes they are for, in their manifests."""

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.model.taint import Taint
    from transom.workload.place import Placed

SUMMARY = "Send Windows workloads to Windows nodes: selector, tolerations, os.name, RuntimeClass."

_EXAMPLES = """\
examples:
  transom place --diff deploy/                            show what would change
  transom place --taint os=windows:NoSchedule web.yaml    tolerate the taint of the nodes
  transom place -f fleet.yaml deploy/                     taints as the fleet has them
  transom place --linux deploy/                           and all other pods to Linux

A workload that has everything stays as it is, byte for byte.

exit codes: 0 done, 1 with --diff something would change, or something could not be placed,
            2 usage or something that cannot be read
"""


def configure(parser: ArgumentParser) -> None:
    """Add what is placed, what it gets, and for which cluster."""
    from transom.cli.options.workload_options import add_cluster_options, add_file_options

    parser.epilog = _EXAMPLES
    parser.add_argument("paths", nargs="+", metavar="PATH", help="file, folder, pattern or -")
    parser.add_argument("--diff", action="store_true", help="show the changes and write nothing")
    parser.add_argument(
        "--taint",
        metavar="KEY=VALUE:EFFECT",
        action="append",
        default=[],
        help="a taint of the Windows nodes; repeatable",
    )
    parser.add_argument("--runtime-class", metavar="NAME", default="", help="for Windows pods")
    parser.add_argument(
        "--linux", action="store_true", help="give pods that are not for Windows to Linux nodes"
    )
    add_file_options(parser)
    add_cluster_options(parser)


def run(args: Namespace) -> int:
    """Place, say what was done, and turn it into an exit code."""
    from transom.cli.options.workload_options import files_of, job_of, named_by, settings_of
    from transom.cli.output import findings as output
    from transom.cli.output.rewriting import rewrite
    from transom.workload.place import Placer

    _refuse_name(args.runtime_class)
    named = tuple(map(_taint, args.taint))
    settings = settings_of(args)
    job = job_of(args, settings)
    left: list[Placed] = []

    def change(name: str, data: bytes) -> bytes:
        ctx = job.of_file(name).ctx
        placer = Placer(
            ctx=ctx._replace(taints=tuple(dict.fromkeys((*ctx.taints, *named)))),
            linux=args.linux,
            runtime_class=args.runtime_class,
            templates=job.templates,
            patches=job.patches,
        )
        result = placer.place(data, name=name)
        for placed in (*result.placed, *result.left):
            _tell(name, placed)
        left.extend(result.left)
        return result.data

    names, missing = files_of(args, settings)
    done = rewrite(list(names), change, diff=args.diff, named=named_by(args))
    output.tell_left_out(done.templates)
    output.tell_unreadable([*missing, *done.unreadable])
    if missing or done.unreadable:
        return UsageError.exit_code
    return int(bool(left) or (args.diff and done.changed > 0))


def _tell(name: str, placed: "Placed") -> None:
    reason = f"; not done: {placed.reason}" if placed.reason else ""
    print(f"{name}: {placed.kind} {placed.name}: {placed.what}{reason}", file=sys.stderr)


def _refuse_name(runtime_class: str) -> None:
    from transom.spec.syntax import OBJECT_NAME

    if runtime_class and not OBJECT_NAME.matches(runtime_class):
        raise UsageError(
            f"{runtime_class!r} cannot be the name of a RuntimeClass",
            subject="--runtime-class",
            hint="use lower-case letters, digits, - and . only",
        )


def _taint(text: str) -> "Taint":
    from transom.model.taint import Taint, TaintEffect

    pair, colon, effect = text.rpartition(":")
    key, _, value = pair.partition("=")
    if not (colon and key and effect in [*TaintEffect]):
        raise UsageError(
            f"{text!r} is no taint", subject="--taint", hint="write it as os=windows:NoSchedule"
        )
    return Taint(key=key, value=value, effect=TaintEffect(effect))
