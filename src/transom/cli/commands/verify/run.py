"""`transom verify run`: checks of Windows nodes, in the cluster itself."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli.commands.verify import buckets, options
from transom.cli.options import cluster_access, fleet_file, lock_file
from transom.cli.output import console
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.kube.api import Api
    from transom.model.fleet import Fleet
    from transom.site.verification import Order
    from transom.verify.running.engine import CheckResult, Task
    from transom.verify.summary import Verification

SUMMARY = "check Windows nodes in the cluster itself; exit 1 where a check fails"
SUITES = ("readiness", "network", "storage", "workload", "scale")
_MARKS = {"passed": "green", "failed": "red", "not-run": "dim", "error": "red"}
_MOST_PARALLEL = 32


def configure(parser: ArgumentParser) -> None:
    """Add which checks, on which nodes, how, and where results go."""
    parser.epilog = (
        "examples:\n"
        "  transom verify run --dry-run                       what would run, and what it would create\n"
        "  transom verify run --suite readiness --suite network\n"
        "  transom verify run --node win1 --check egress --egress https://intranet.example/\n"
        "  transom verify run -o junit --out junit.xml --store results.db\n"
        "  transom verify run --image-repository registry.example/tests    a site without internet\n\n"
        "exit codes: 0 all that ran passed, 1 a check failed, 2 usage, 4 try again, 5 nothing is proven"
    )
    add_arguments(parser)
    parser.add_argument(
        "--dry-run", action="store_true", help="print the checks and what each would create"
    )
    parser.add_argument(
        "-o", "--output", choices=("text", "json", "junit"), default="text", help="the form"
    )
    parser.add_argument(
        "--out", metavar="FILE", help="write the results there; text still comes here"
    )
    parser.add_argument(
        "--strict", action="store_true", help="exit 1 also where a check could not be run"
    )
    cluster_access.add_arguments(parser, fleet=True)


def add_arguments(parser: ArgumentParser) -> None:
    """Add what a run is asked for, here and in a schedule."""
    parser.add_argument(
        "-f",
        "--filename",
        metavar="FILE",
        help="a fleet: its nodes, its network, its lock's images",
    )
    parser.add_argument("--lock", metavar="FILE", help="default: transom.lock beside the fleet")
    parser.add_argument("--node", action="append", default=[], help="a node; repeatable")
    parser.add_argument(
        "--all-nodes", action="store_true", help="every Windows node; default: one of each kind"
    )
    parser.add_argument(
        "--suite",
        action="append",
        default=[],
        choices=SUITES,
        help="a suite; repeatable; default: all",
    )
    parser.add_argument(
        "--check", action="append", default=[], metavar="NAME", help="a check; repeatable"
    )
    parser.add_argument(
        "--disruptive", action="store_true", help="also checks that reboot or fill the node"
    )
    parser.add_argument(
        "--isolation",
        choices=("process", "hyperv", "hostprocess"),
        default="process",
        help="how the pods of checks are isolated (default: %(default)s)",
    )
    parser.add_argument(
        "--parallel", type=int, default=4, help="checks at once (default: %(default)s)"
    )
    parser.add_argument(
        "--patience",
        type=float,
        default=1.0,
        metavar="FACTOR",
        help="stretch the checks' deadlines",
    )
    parser.add_argument(
        "--image-repository", metavar="PREFIX", default="", help="where the images of checks are"
    )
    parser.add_argument(
        "--image",
        action="append",
        default=[],
        metavar="NAME=IMAGE",
        help="agnhost, servercore or hostprocess by an image of yours, such as by digest; repeatable",
    )
    parser.add_argument(
        "--egress", metavar="URL", default="", help="the address outside for egress"
    )
    parser.add_argument("--gmsa", metavar="NAME", default="", help="a GMSACredentialSpec for gmsa")
    parser.add_argument(
        "--node-conditions",
        action="store_true",
        help="write the condition TransomVerified on Nodes",
    )
    parser.add_argument("--store", metavar="FILE", help="also keep the results there")
    parser.add_argument("--job", default="transom-verify", help="the job's name in the store")
    buckets.add_arguments(parser)


def run(args: Namespace) -> int:
    """Check, keep and print."""
    from transom.site import verification
    from transom.site.cluster import with_api

    fleet, order, bucket = _fleet(args), order_of(args), buckets.of(args)
    api = cluster_access.open_api(args, fleet.cluster if fleet else None)
    if args.dry_run:
        return _plan(args, api, order, fleet)
    watcher = _Progress()
    found = with_api(api, lambda api: verification.verify(api, order, fleet, watcher=watcher))
    if args.store:
        verification.keep(found, options.store_path(args.store), job=args.job)
    if bucket is not None:
        from transom.site.buckets import keep_in_bucket

        for address in keep_in_bucket(found, bucket, job=args.job):
            console.note(f"kept {address}")
    _print(args, found)
    if not found.is_proven:
        console.print_error(verification.nothing_proven())
    return found.exit_code(strict=args.strict)


def order_of(args: Namespace) -> "Order":
    """Give what the arguments ask for."""
    from transom.model.lock import Lock
    from transom.site.verification import Order, images_of
    from transom.verify.checks import chosen
    from transom.verify.running.case import Isolation, Wish

    if not 1 <= args.parallel <= _MOST_PARALLEL or not args.patience > 0:
        raise UsageError(f"--parallel is 1 to {_MOST_PARALLEL}, and --patience is over 0")
    lock = lock_file.load(lock_file.locate(args.filename, args.lock)) if args.filename else Lock()
    return Order(
        checks=chosen(tuple(args.suite), tuple(args.check)),
        nodes=tuple(args.node),
        all_nodes=args.all_nodes,
        is_disruptive=args.disruptive,
        parallel=args.parallel,
        node_conditions=args.node_conditions,
        wish=Wish(
            isolation=Isolation(args.isolation),
            image_repository=args.image_repository,
            images=images_of(lock, args.image),
            egress=args.egress,
            gmsa=args.gmsa,
            patience_factor=args.patience,
        ),
    )


def _fleet(args: Namespace) -> "Fleet | None":
    from transom.site.addons import only_fleet

    return only_fleet(fleet_file.read(args.filename), file=args.filename) if args.filename else None


def _plan(args: Namespace, api: "Api", order: "Order", fleet: "Fleet | None") -> int:
    from transom.site.cluster import with_api
    from transom.site.verification import plan_of, tasks_of

    tasks = with_api(api, lambda api: tasks_of(api, order, fleet))
    plan = plan_of(tasks, is_disruptive=order.is_disruptive)
    if args.output == "json":
        console.print_json(plan)
        return 0
    for item in plan.checks:
        print(f"{item.node}  [{item.suite}] {item.check}: {item.what}")
        if item.not_run:
            print(f"    not run: {item.not_run}")
        elif item.creates:
            print(f"    creates: {', '.join(item.creates)}")
    would = sum(not item.not_run for item in plan.checks)
    print(f"{would} checks would run, {len(plan.checks) - would} would not")
    return 0


def _print(args: Namespace, found: "Verification") -> None:
    from transom.site.verification import result_of
    from transom.verify.summary import as_junit

    if args.output == "text" or args.out:
        _print_text(found)
    if args.out:
        _write(args.out, _formed(args, found))
    elif args.output == "json":
        console.print_json(result_of(found))
    elif args.output == "junit":
        print(as_junit(found), end="")


def _formed(args: Namespace, found: "Verification") -> str:
    import json

    from transom.model.codec import encode
    from transom.site.verification import result_of
    from transom.verify.summary import as_junit

    if args.output == "junit" or (args.output == "text" and args.out.endswith(".xml")):
        return as_junit(found)
    return json.dumps(encode(result_of(found)), indent=2) + "\n"


def _write(path: str, text: str) -> None:
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError("cannot write the results", subject=path) from error


def _print_text(found: "Verification") -> None:
    for result in found.results:
        mark = console.paint(
            f"{result.outcome.value:<8}", _MARKS[result.outcome.value], stream=sys.stdout
        )
        print(f"{mark} {result.node}  [{result.suite}] {result.check} ({result.seconds:.0f} s)")
        if result.message:
            print(f"         {result.message}")
        if result.left:
            print(f"         left behind: {result.left}")
    for name in found.swept:
        print(f"swept up what an earlier run left: namespace {name}")
    counts = {kind: found.count(kind) for kind in dict.fromkeys(r.outcome for r in found.results)}
    print(
        ", ".join(f"{count} {kind.value}" for kind, count in counts.items()) or "no check was named"
    )


class _Progress:
    """What checks do, on standard error: each end, and on a terminal how many are left."""

    def told(self, task: "Task", text: str) -> None:
        """Say nothing of single steps."""

    def done(self, result: "CheckResult") -> None:
        """Say that a check ended."""
        console.note(f"{result.outcome.value:<8} {result.node} {result.check}")
