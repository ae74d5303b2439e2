"""The cluster that manifests are meant for.

From options, the cluster itself, a fleet and settings, in that order.
"""

import sys
from argparse import Namespace
from time import gmtime, strftime
from typing import TYPE_CHECKING

from transom.cli.linting.settings import Settings
from transom.errors import UsageError
from transom.model.version import Version
from transom.workload.context import (
    LintContext,
    OperatingSystem,
    build_of_release,
    newest_kubernetes,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from transom.cli.linting.live import About
    from transom.model.fleet import Fleet


def context_of(args: Namespace, settings: Settings) -> LintContext:
    """The context of a run."""
    ctx = _context_without_cluster(args, settings)
    if args.cluster:
        from transom.cli.linting.live import read_about, with_cluster

        ctx = _with_cluster(ctx, args, with_cluster(args, read_about))
    newest = newest_kubernetes()
    if newest < ctx.kubernetes:
        known = f"the rules were checked up to {newest.minor_text}, not for"
        print(f"note: {known} {ctx.kubernetes.minor_text}", file=sys.stderr)
    return ctx


def _with_cluster(ctx: LintContext, args: Namespace, about: "About") -> LintContext:
    """What the cluster tells about itself, under what options say."""
    for unknown in about.unknown:
        print(f"note: {unknown.file}: {unknown.message}", file=sys.stderr)
    signs = about.signs
    return ctx._replace(
        kubernetes=ctx.kubernetes if args.kubernetes else _version(about.version),
        builds=ctx.builds if args.windows else signs.builds or ctx.builds,
        network_mode=args.network_mode or about.network_mode or ctx.network_mode,
        containerd=signs.containerd or ctx.containerd,
        docker=signs.docker or ctx.docker,
        taints=signs.taints or ctx.taints,
        mixed=ctx.mixed or signs.mixed,
        pod_security={**ctx.pod_security, **({} if args.pod_security else signs.pod_security)},
        runtime_classes=signs.runtime_classes,
        privileged_forbidden=about.privileged_forbidden,
    )


def _context_without_cluster(args: Namespace, settings: Settings) -> LintContext:
    fleets = _fleets(args.filename)
    text = args.kubernetes or _fleet_version(fleets) or settings.kubernetes
    releases = args.windows or _fleet_releases(fleets) or settings.windows
    level = args.pod_security or settings.pod_security
    return LintContext(
        kubernetes=_version(text) if text else newest_kubernetes(),
        builds=tuple(dict.fromkeys(_build(release) for release in releases)),
        network_mode=args.network_mode or _fleet_mode(fleets) or settings.network_mode,
        containerd=_fleet_containerd(fleets),
        docker=any(fleet.runtime is not None and fleet.runtime.docker for fleet in fleets),
        gates={name: on for fleet in fleets for name, on in fleet.cluster.feature_gates.items()},
        taints=tuple(
            dict.fromkeys(
                taint for fleet in fleets for host in fleet.hosts for taint in host.taints
            )
        ),
        mixed=args.mixed or settings.mixed,
        assume=OperatingSystem(args.assume_os) if args.assume_os else None,
        pod_security={"": level} if level else {},
        today=strftime("%Y-%m-%d", gmtime()),
    )


def _fleets(name: str | None) -> "Sequence[Fleet]":
    if name is None:
        return ()
    from transom.cli import fleet_file

    return fleet_file.read(name)


def _version(text: str) -> Version:
    try:
        version = Version.parse(text)
    except ValueError as error:
        raise UsageError(
            f"{text!r} is no Kubernetes version", subject="--kubernetes", hint="write it as 1.30"
        ) from error
    # Providers number their own builds after the patch.
    return Version(version.major, version.minor)


def _build(release: str) -> int:
    build = build_of_release(release)
    if build is None:
        raise UsageError(
            f"{release!r} is no known Windows release",
            subject="--windows",
            hint="write it as 2022, ltsc2022 or 20348; `transom facts windows` lists them",
        )
    return build


def _fleet_version(fleets: "Sequence[Fleet]") -> str:
    written = (fleet.kubernetes.version for fleet in fleets)
    named = [version for version in written if version != "cluster"]
    return min(named, key=_version, default="")


def _fleet_releases(fleets: "Sequence[Fleet]") -> list[str]:
    return [host.windows.release for fleet in fleets for host in fleet.hosts]


def _fleet_mode(fleets: "Sequence[Fleet]") -> str:
    modes = {getattr(fleet.network.plugin, "mode", None) for fleet in fleets}
    only = modes.pop() if len(modes) == 1 else None
    return str(only) if only else ""


def _fleet_containerd(fleets: "Sequence[Fleet]") -> Version | None:
    runtimes = (fleet.runtime for fleet in fleets)
    written = (
        runtime.containerd.version
        for runtime in runtimes
        if runtime is not None and runtime.containerd is not None
    )
    return min((Version.parse(text) for text in written if text), default=None)
