"""`transom capi names`: what Windows machines will be called, before they exist."""

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.facts.names import ComputerName, MachineName

SUMMARY = "Show the computer names that machines or pools will get, and where two get the same."

_EXAMPLES = """\
examples:
  transom capi names --cluster shop shop-md-win-7d4f9-abcde shop-md-win-7d4f9-fghij
  transom capi names --rule seed prod-blue/prod-blue-md-win-abcde prod-green/prod-green-md-win-abcde
  transom capi names --pools prod-blue/prod-blue-mp-win prod-green/prod-green-mp-win
  transom capi names --rule hash --pools prod-blue/prod-blue-mp-win prod-green/prod-green-mp-win
  kubectl get machines -A -o name | sed 's|.*/||' | transom capi names -

rules: capz is what the Azure and vSphere providers do, seed what Azure's documentation described before,
  none leaves names to cloudbase-init, which cuts them after 15 characters, hash loses nothing by cutting.
exit codes: 0 all names differ and agree, 1 a collision or a disagreement, 2 usage
"""
_RULES = ("capz", "seed", "none", "hash")


def configure(parser: ArgumentParser) -> None:
    """Add the names and the rule."""
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "names",
        nargs="+",
        metavar="NAME",
        help="[CLUSTER/]NAME of a machine or pool; - reads lines",
    )
    parser.add_argument("--cluster", default="", help="of names that do not say")
    parser.add_argument(
        "--rule", choices=_RULES, default="capz", help="who shortens names (default: %(default)s)"
    )
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--pools", action="store_true", help="they are machine pools (scale sets)")
    kind.add_argument("--aks", action="store_true", help="they are managed pools of AKS")
    parser.add_argument("-o", "--output", choices=["text", "json"], default="text")


def run(args: Namespace) -> int:
    """Name them all and look for collisions."""
    from transom.facts.names import collisions

    concerns = "pool" if args.pools or args.aks else "machine"
    found = _named(_machines(args), args.rule, concerns)
    if args.aks or args.pools:
        found = [_as_pool(name, "aks" if args.aks else "scale-set") for name in found]
    clashing = tuple(collisions(found))
    if args.output == "json":
        from transom.cli.output import console
        from transom.documents.names import NameReport

        console.print_json(
            NameReport(rule=args.rule, concerns=concerns, names=tuple(found), collisions=clashing)
        )
    else:
        _print(found, concerns)
        for clash in clashing:
            print(f"collision: {clash.computer} is the name of {' and '.join(clash.machines)}")
        if clashing and args.rule != "hash":
            print("  next:  give them names that differ where the rule looks, or use --rule hash")
    return int(bool(clashing) or any(name.problems for name in found))


def _machines(args: Namespace) -> "list[MachineName]":
    from transom.facts.names import MachineName

    names = [
        word.strip()
        for name in args.names
        for word in (sys.stdin.read().splitlines() if name == "-" else [name])
        if word.strip()
    ]
    machines = []
    for text in dict.fromkeys(names):
        cluster, _, name = text.rpartition("/")
        if not name or "/" in cluster:
            raise UsageError(f"{text!r} is no name", subject="NAME", hint="write CLUSTER/NAME")
        machines.append(MachineName(name, cluster or args.cluster))
    if args.rule == "seed" and not all(machine.cluster for machine in machines):
        raise UsageError(
            "this rule looks at the cluster's name",
            subject="--rule seed",
            hint="write CLUSTER/NAME, or say --cluster",
        )
    return machines


def _named(machines: "list[MachineName]", rule: str, concerns: str) -> "list[ComputerName]":
    from transom.facts.names import named, without_collisions

    if rule == "hash":
        return without_collisions(machines, concerns=concerns)
    return [named(machine, rule=rule, concerns=concerns) for machine in machines]


def _as_pool(name: "ComputerName", platform: str) -> "ComputerName":
    from dataclasses import replace

    from transom.facts.names import pool_problems

    of_pool = name.machine if platform == "aks" else name.platform
    return replace(name, problems=(*name.problems, *pool_problems(of_pool, platform=platform)))


def _print(names: "list[ComputerName]", concerns: str) -> None:
    heading = (
        ("POOL", "COMPUTERS BEGIN WITH", "")
        if concerns == "pool"
        else ("MACHINE", "COMPUTER", "NODE")
    )
    rows = [heading]
    for name in names:
        machine = f"{name.cluster}/{name.machine}" if name.cluster else name.machine
        rows.append((machine, name.computer, "" if concerns == "pool" else name.node))
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    for number, row in enumerate(rows):
        cells = (text.ljust(width) for text, width in zip(row, widths, strict=True))
        print("  ".join(cells).rstrip())
        for problem in names[number - 1].problems if number else ():
            print(f"  problem: {problem}")
