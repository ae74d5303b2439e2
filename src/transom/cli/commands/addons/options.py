"""What the verbs of `transom addons` ask alike, and how they print what changed."""

import sys
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from typing import TYPE_CHECKING

from transom.cli.options import cluster_access, fleet_file, lock_file
from transom.cli.options.extras import add_extras_argument
from transom.cli.output import console

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from transom.kube.api import Api
    from transom.model.fleet import Fleet
    from transom.site.addons import AddonWork, Changes


def add_rendered_arguments(parser: ArgumentParser) -> None:
    """Add the fleet, its lock and add-ons beside its own."""
    fleet_file.add_argument(parser)
    add_extras_argument(
        parser, "also render this; apply without it takes it away again; repeatable"
    )
    parser.add_argument(
        "--lock",
        metavar="FILE",
        help="images that it has are named by digest (default: transom.lock beside the fleet)",
    )


def add_force_argument(parser: ArgumentParser) -> None:
    """Add what becomes of fields that others set."""
    parser.add_argument(
        "--force-conflicts",
        action="store_true",
        help="take over fields of these objects that somebody else set",
    )


def add_result_arguments(parser: ArgumentParser) -> None:
    """Add the form and the cluster."""
    parser.add_argument("-o", "--output", choices=["text", "json"], default="text")
    cluster_access.add_arguments(parser, fleet=True)


def fleet_of(args: Namespace) -> "Fleet":
    """Read the one fleet of the file."""
    from transom.recipe.defaults import locked_fleet
    from transom.site.addons import only_fleet

    fleet = only_fleet(fleet_file.read(args.filename), file=str(args.filename))
    kept = lock_file.load(lock_file.locate(args.filename, getattr(args, "lock", None)))
    return locked_fleet(fleet, kept)


def rendered_in_cluster(
    args: Namespace, fleet: "Fleet", act: "Callable[[AddonWork], Awaitable[Changes]]"
) -> "Changes":
    """Do something with what the arguments have rendered, in the fleet's cluster."""
    lock = lock_file.load(lock_file.locate(args.filename, args.lock))

    def with_rendered(work: "AddonWork") -> "Awaitable[Changes]":
        return act(replace(work, lock=lock, extras=args.extras, force=args.force_conflicts))

    return in_cluster(args, fleet, with_rendered)


def in_cluster(
    args: Namespace, fleet: "Fleet", act: "Callable[[AddonWork], Awaitable[Changes]]"
) -> "Changes":
    """Do something about the fleet's add-ons in its cluster."""
    from transom.model.lock import Lock
    from transom.site.addons import AddonWork
    from transom.site.cluster import with_api

    async def acting(api: "Api") -> "Changes":
        return await act(AddonWork(fleet=fleet, lock=Lock(), objects=api.door, api=api))

    return with_api(cluster_access.open_api(args, fleet.cluster), acting)


def print_needs(needs: "Sequence[str]") -> None:
    """Say what somebody else has to bring."""
    if needs:
        print("what these need and Transom does not bring:", file=sys.stderr)
    for need in needs:
        print(f"  - {need}", file=sys.stderr)


def print_changes(changes: "Changes", fleet: str, *, output: str, done: bool) -> None:
    """Print what was changed, or would be."""
    if output == "json":
        from transom.documents.addons import AddonChanges, changed_object

        items = tuple(changed_object(change) for change in changes.items)
        console.print_json(AddonChanges(fleet=fleet, done=done, items=items, needs=changes.needs))
        return
    print_needs(changes.needs)
    for change in changes.items:
        print(f"{console.paint(f'{change.act:<7}', 'bold', stream=sys.stdout)} {change.name}")
        for path, before, after in change.fields:
            print(f"          {path}: {before} -> {after}")
    counts = [
        f"{sum(change.act == act for change in changes.items)} {words}"
        for act, words in (
            ("create", "created" if done else "to create"),
            ("change", "changed" if done else "to change"),
            ("delete", "deleted" if done else "to delete"),
            ("keep", "as they should be"),
        )
    ]
    print(f"fleet {fleet}: {', '.join(counts)}")
