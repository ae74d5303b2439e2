"""`transom addons`: what the cluster runs for its Windows nodes."""

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli import cluster_access, console, fleet_file, lock_file
from transom.errors import UsageError

if TYPE_CHECKING:
    from argparse import _SubParsersAction
    from collections.abc import Awaitable, Callable, Sequence

    from transom.addons.setting import Setting
    from transom.fleet.addon_change import Change
    from transom.kube.api import Api
    from transom.kube.objects import Objects
    from transom.model.fleet import Fleet
    from transom.model.lock import Lock
    from transom.model.manifest import Manifest

SUMMARY = "kube-proxy, the network and runtime classes for a fleet's Windows nodes."
EXIT_DIFFERENT = 1

_TIMEOUT_S = 300
# As in `addons.catalogue`, whose import a look at the help need not wait for.
EXTRAS = ("csi-proxy", "pipe-policy", "windows-exporter")
_EXAMPLES = """\
examples:
  transom addons render -f fleet.yaml                 one YAML stream; nothing is asked of a cluster
  transom addons render -f fleet.yaml --to addons     a folder that kustomize takes
  transom addons diff -f fleet.yaml                   what apply would change; exit 1 if anything
  transom addons apply -f fleet.yaml                  change it, and wait until it runs
  transom addons delete -f fleet.yaml --yes           take away what Transom made for this fleet

exit codes: 0 done or nothing to do, 1 diff found something, 2 the fleet has mistakes,
3 fleet or cluster do not fit (every reason is printed), 4 not all pods run in time, 5 failed
"""


def configure(parser: ArgumentParser) -> None:
    """Add the actions."""
    parser.epilog = _EXAMPLES
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    render = _action(actions, "render", "print the manifests; reads no cluster")
    render.add_argument("--to", metavar="DIR", help="write a folder for kustomize instead")
    render.add_argument(
        "--resource-set",
        metavar="NAMESPACE",
        help="wrap them for Cluster API: a ClusterResourceSet of that namespace and its ConfigMap",
    )
    render.add_argument(
        "--cluster-label",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="of the Clusters that --resource-set is for; repeatable",
    )
    diff = _action(actions, "diff", "what apply would change; changes nothing")
    apply = _action(actions, "apply", "have the cluster run them, and wait until it does")
    apply.add_argument("--no-wait", action="store_true", help="do not wait for pods to run")
    apply.add_argument(
        "--timeout",
        type=int,
        default=_TIMEOUT_S,
        metavar="SECONDS",
        help="how long pods may take to run (default: %(default)s)",
    )
    delete = _action(actions, "delete", "take away what Transom made for this fleet")
    delete.add_argument(
        "--yes", action="store_true", help="do it; without it only what would go is shown"
    )
    for made in (render, diff, apply):
        add_extras_argument(
            made, "also render this; apply without it takes it away again; repeatable"
        )
        made.add_argument(
            "--lock",
            metavar="FILE",
            help="images that it has are named by digest (default: transom.lock beside the fleet)",
        )
    for made in (diff, apply):
        made.add_argument(
            "--force-conflicts",
            action="store_true",
            help="take over fields of these objects that somebody else set",
        )
    for made in (diff, apply, delete):
        made.add_argument("-o", "--output", choices=["text", "json"], default="text")
        cluster_access.add_arguments(made, fleet=True)


def add_extras_argument(parser: ArgumentParser, about: str) -> None:
    """Add-ons that are asked for beside the fleet's own."""
    parser.add_argument(
        "--with", dest="extras", action="append", default=[], choices=EXTRAS, help=about
    )


def _action(
    actions: "_SubParsersAction[ArgumentParser]", name: str, summary: str
) -> ArgumentParser:
    made = actions.add_parser(name, help=summary, description=summary, allow_abbrev=False)
    fleet_file.add_argument(made)
    return made


def run(args: Namespace) -> int:
    """Do one action."""
    fleet = _fleet(args.filename)
    if args.action == "render":
        return _render(args, fleet)
    if args.action == "delete":
        return _delete(args, fleet)
    return _diff_or_apply(args, fleet)


def _render(args: Namespace, fleet: "Fleet") -> int:
    from transom.addons import delivery
    from transom.addons.catalogue import render
    from transom.addons.pinned_images import by_digest
    from transom.addons.provisions import provisions

    setting = _setting(fleet)
    manifests = by_digest(render(setting, args.extras), _lock(args))
    if args.resource_set or args.cluster_label:
        manifests = _wrapped(args, fleet, manifests)
    _print_needs(provisions(setting, extras=args.extras))
    if args.to:
        _write(Path(args.to), delivery.folder(manifests))
    else:
        print(delivery.stream(manifests), end="")
    return 0


def _wrapped(args: Namespace, fleet: "Fleet", manifests: "list[Manifest]") -> "list[Manifest]":
    from transom.addons import delivery

    pairs = [label.partition("=") for label in args.cluster_label]
    if not args.resource_set or not pairs or not all(key and value for key, _, value in pairs):
        raise UsageError(
            "a ClusterResourceSet needs a namespace and the labels of its Clusters",
            hint="write --resource-set NAMESPACE --cluster-label KEY=VALUE",
        )
    return delivery.resource_set(
        manifests,
        name=f"{fleet.name}-windows-addons",
        namespace=args.resource_set,
        cluster_labels={key: value for key, _, value in pairs},
    )


def _diff_or_apply(args: Namespace, fleet: "Fleet") -> int:
    from transom.addons.catalogue import render
    from transom.addons.pinned_images import by_digest
    from transom.addons.provisions import provisions
    from transom.fleet import addons
    from transom.fleet.addon_change import Act

    needs: list[str] = []
    lock = _lock(args)

    async def work(objects: "Objects", api: "Api") -> "list[Change]":
        setting = _setting(await _at_cluster(fleet, api))
        manifests = by_digest(render(setting, args.extras), lock)
        await addons.check(objects, setting)
        needs.extend(provisions(setting, await objects.list("v1", "Node"), extras=args.extras))
        act = addons.diff if args.action == "diff" else addons.apply
        changes = await act(objects, manifests, fleet.name, force=args.force_conflicts)
        if args.action == "apply" and not args.no_wait:
            await _await_rollout(args, objects, manifests)
        return changes

    changes = _with_cluster(args, fleet, work)
    _print(args, fleet, changes, needs, done=args.action == "apply")
    different = any(change.act is not Act.KEEP for change in changes)
    return EXIT_DIFFERENT if args.action == "diff" and different else 0


def _delete(args: Namespace, fleet: "Fleet") -> int:
    from transom.fleet import addons

    async def work(objects: "Objects", api: "Api") -> "list[Change]":
        del api
        act = addons.delete if args.yes else addons.owned
        return await act(objects, fleet.name)

    changes = _with_cluster(args, fleet, work)
    _print(args, fleet, changes, [], done=args.yes)
    if changes and not args.yes:
        print("nothing was deleted: pods on these nodes lose Services and network; --yes does it")
        return EXIT_DIFFERENT
    return 0


def _with_cluster(
    args: Namespace,
    fleet: "Fleet",
    work: "Callable[[Objects, Api], Awaitable[list[Change]]]",
) -> "list[Change]":
    import asyncio

    from transom.kube.objects import KubeObjects

    async def connected() -> "list[Change]":
        api = cluster_access.open_api(args, fleet.cluster)
        try:
            return await work(KubeObjects(api), api)
        finally:
            await api.close()

    return asyncio.run(connected())


async def _await_rollout(
    args: Namespace, objects: "Objects", manifests: "Sequence[Manifest]"
) -> None:
    from transom.fleet import addons
    from transom.fleet.run import RealClock

    await addons.await_rollout(objects, manifests, RealClock(), timeout_s=args.timeout)


def _lock(args: Namespace) -> "Lock":
    return lock_file.load(lock_file.locate(args.filename, args.lock))


def _fleet(file: str) -> "Fleet":
    fleets = fleet_file.read(file)
    if len(fleets) != 1:
        names = ", ".join(fleet.name for fleet in fleets) or "none"
        raise UsageError(
            f"add-ons are of one fleet, and {file} has {len(fleets)}",
            subject=names,
            hint="write each fleet into a file of its own",
        )
    return fleets[0]


async def _at_cluster(fleet: "Fleet", api: "Api") -> "Fleet":
    """The fleet with what it does not say of its cluster."""
    from dataclasses import replace

    from transom.fleet.cluster import endpoint_of

    version = fleet.cluster.version or await api.version()
    endpoint = fleet.cluster.endpoint or await endpoint_of(api)
    return replace(fleet, cluster=replace(fleet.cluster, version=version, endpoint=endpoint))


def _setting(fleet: "Fleet") -> "Setting":
    from transom.addons.setting import setting_of
    from transom.recipe.resolve import resolve

    recipes = resolve(fleet)
    if not recipes:
        raise UsageError(
            f"fleet {fleet.name} has no hosts, so nothing is known of its nodes",
            hint="add its hosts first",
        )
    return setting_of(fleet, recipes)


def _write(folder: Path, files: dict[str, str]) -> None:
    from transom.addons.delivery import listed

    kustomization = folder / "kustomization.yaml"
    try:
        before = listed(kustomization.read_text("utf-8")) if kustomization.exists() else []
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, "utf-8", newline="\n")
        for name in before:
            if name not in files:
                (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write {folder}", subject=str(folder)) from error
    print(f"{folder}: {len(files)} files")


def _print_needs(needs: list[str]) -> None:
    if needs:
        print("what these need and Transom does not bring:", file=sys.stderr)
    for need in needs:
        print(f"  - {need}", file=sys.stderr)


def _print(
    args: Namespace, fleet: "Fleet", changes: "list[Change]", needs: list[str], *, done: bool
) -> None:
    if args.output == "json":
        _print_json(fleet, changes, needs, done=done)
        return
    _print_needs(needs)
    for change in changes:
        print(f"{console.paint(f'{change.act:<7}', 'bold', stream=sys.stdout)} {change.name}")
        for path, before, after in change.fields:
            print(f"          {path}: {before} -> {after}")
    counts = [
        f"{sum(change.act == act for change in changes)} {words}"
        for act, words in (
            ("create", "created" if done else "to create"),
            ("change", "changed" if done else "to change"),
            ("delete", "deleted" if done else "to delete"),
            ("keep", "as they should be"),
        )
    ]
    print(f"fleet {fleet.name}: {', '.join(counts)}")


def _print_json(fleet: "Fleet", changes: "list[Change]", needs: list[str], *, done: bool) -> None:
    from transom.cli.documents.addons import AddonChanges, changed_object

    items = tuple(changed_object(change) for change in changes)
    console.print_json(AddonChanges(fleet=fleet.name, done=done, items=items, needs=tuple(needs)))
