"""The cluster that workloads are meant for, as arguments."""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from transom.model.problem import Mistake
from transom.workload.linting import settings as settings_file
from transom.workload.linting import sources
from transom.workload.linting.run import Job, Override, survey
from transom.workload.linting.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from transom.kube.door import Door
    from transom.site.live_workloads import About
    from transom.workload.context import LintContext

_T = TypeVar("_T")


def add_cluster_options(parser: ArgumentParser) -> None:
    """Add what `context_of` and `settings_of` read."""
    cluster = parser.add_argument_group("the cluster they are meant for")
    cluster.add_argument("--kubernetes", metavar="VERSION", help="such as 1.30 (default: newest)")
    cluster.add_argument(
        "--windows",
        metavar="RELEASE",
        action="append",
        default=[],
        help="of the nodes, such as 2022; repeatable",
    )
    cluster.add_argument("--network-mode", choices=["overlay", "l2bridge"])
    cluster.add_argument(
        "-f", "--filename", metavar="FLEET", help="take versions, network and taints from a fleet"
    )
    cluster.add_argument(
        "--mixed", action="store_true", help="the cluster has Linux nodes for workloads too"
    )
    cluster.add_argument(
        "--assume-os", choices=["windows", "linux"], help="of pods that do not say"
    )
    cluster.add_argument(
        "--pod-security",
        choices=["privileged", "baseline", "restricted"],
        help="the level that namespaces enforce",
    )
    cluster.add_argument(
        "--cluster",
        action="store_true",
        help="take versions, builds, network and taints from the cluster that kubectl would use",
    )
    cluster.add_argument(
        "--kubeconfig", metavar="FILE", help="of that cluster (default: as kubectl)"
    )
    cluster.add_argument(
        "--context", help="of that cluster (default: the kubeconfig's current one)"
    )
    parser.add_argument("--config", metavar="FILE", help="instead of .transom.toml, found upwards")


def add_file_options(parser: ArgumentParser) -> None:
    """Add what `files_of` reads beside the paths."""
    parser.add_argument(
        "--include",
        metavar="GLOB",
        action="append",
        default=[],
        help="below folders only these files, such as '*/k8s/*'; repeatable",
    )
    parser.add_argument(
        "--exclude",
        metavar="GLOB",
        action="append",
        default=[],
        help="files and folders that are left out, such as 'charts/*/templates'; repeatable",
    )
    parser.add_argument(
        "--skip-others",
        action="store_true",
        help="leave out named files that are not manifests, as below a folder",
    )


def named_by(args: Namespace) -> Sequence[str]:
    """The files of which it is an error if they are not manifests."""
    return () if args.skip_others else args.paths


def files_of(
    args: Namespace, settings: Settings, hidden: set[str] | None = None
) -> tuple[Iterable[str], list[Mistake]]:
    """The files that are meant, and what was named but is not there."""
    return sources.find(
        args.paths,
        include=(*args.include, *settings.include),
        exclude=(*args.exclude, *settings.exclude),
        hidden=hidden,
        rendered=getattr(args, "rendered", ()),
    )


def job_of(args: Namespace, settings: Settings) -> Job:
    """The rules, the cluster and the patches for the files that are meant.

    What a live cluster tells counts for every file, whatever the settings say of some.
    """
    ctx, patches = survey(
        args.paths, lambda: files_of(args, settings)[0], context_of(args, settings)
    )
    return Job(
        ctx,
        without=_without(args, settings),
        templates=settings.pod_templates,
        named=frozenset(named_by(args)),
        patches=patches,
        overrides=tuple(
            Override(
                globs,
                ctx if args.cluster else context_of(args, of_files).beside(ctx),
                _without(args, of_files),
            )
            for globs, of_files in settings.overrides
        ),
    )


def _without(args: Namespace, settings: Settings) -> frozenset[str]:
    select = getattr(args, "select", None) or settings.select
    return settings_file.rules_without(select, (*getattr(args, "disable", ()), *settings.disable))


def settings_of(args: Namespace) -> Settings:
    """The settings for the files that were named."""
    if args.config is not None:
        return settings_file.read_file(args.config)
    first = args.paths[0] if args.paths and args.paths[0] != "-" else "."
    is_folder = os.path.isdir(first)  # noqa: PTH112 - as in `settings.find`
    return settings_file.find(first if is_folder else os.path.dirname(first))  # noqa: PTH120 - same


def context_of(args: Namespace, settings: Settings) -> "LintContext":
    """Give the context of a run, and note what of it is not known."""
    from transom.site.workload_context import ContextWish, in_cluster, lint_context
    from transom.workload.context import newest_kubernetes

    fleets = []
    if args.filename is not None:
        from transom.cli.options import fleet_file

        fleets = fleet_file.read(args.filename)
    wish = ContextWish(
        kubernetes=args.kubernetes or "",
        windows=args.windows,
        network_mode=args.network_mode or "",
        pod_security=args.pod_security or "",
        assume_os=args.assume_os or "",
        mixed=args.mixed,
    )
    ctx = lint_context(wish, settings, fleets)
    if args.cluster:
        ctx = in_cluster(ctx, wish, _about(args))
    newest = newest_kubernetes()
    if newest < ctx.kubernetes:
        known = f"the rules were checked up to {newest.minor_text}, not for"
        print(f"note: {known} {ctx.kubernetes.minor_text}", file=sys.stderr)
    return ctx


def _about(args: Namespace) -> "About":
    from transom.site.live_workloads import read_about

    about = with_cluster(args, read_about)
    for unknown in about.unknown:
        print(f"note: {unknown.file}: {unknown.message}", file=sys.stderr)
    return about


def with_cluster(args: Namespace, ask: "Callable[[Door], Awaitable[_T]]") -> _T:
    """Open the cluster that is meant, ask it, and close it again."""
    from transom.cli.options.cluster_access import open_api
    from transom.site.cluster import with_api

    return with_api(open_api(args), lambda api: ask(api.door))
