"""The cluster that manifests are meant for: from options, the cluster itself, a fleet and settings, in that order."""

from collections.abc import Sequence
from time import gmtime, strftime
from typing import TYPE_CHECKING, NamedTuple

from transom.errors import UsageError
from transom.facts import rows
from transom.facts.windows import Release
from transom.model.version import Version
from transom.workload.context import (
    LintContext,
    OperatingSystem,
    build_of_release,
    newest_kubernetes,
)
from transom.workload.linting.settings import Settings

if TYPE_CHECKING:
    from transom.model.fleet import Fleet
    from transom.site.live_workloads import About


class ContextWish(NamedTuple):
    """The cluster as the user describes it; what is empty is left to the cluster, the fleet and settings."""

    kubernetes: str = ""
    windows: Sequence[str] = ()
    network_mode: str = ""
    pod_security: str = ""
    assume_os: str = ""
    mixed: bool = False


def in_cluster(ctx: LintContext, wish: ContextWish, about: "About") -> LintContext:
    """Give the context with what a cluster says about itself, under what the user says."""
    signs = about.signs
    return ctx._replace(
        kubernetes=ctx.kubernetes if wish.kubernetes else _version(about.version),
        builds=ctx.builds if wish.windows else signs.builds or ctx.builds,
        network_mode=wish.network_mode or about.network_mode or ctx.network_mode,
        containerd=signs.containerd or ctx.containerd,
        docker=signs.docker or ctx.docker,
        taints=signs.taints or ctx.taints,
        mixed=ctx.mixed or signs.mixed,
        pod_security={**ctx.pod_security, **({} if wish.pod_security else signs.pod_security)},
        runtime_classes=signs.runtime_classes,
        privileged_forbidden=about.privileged_forbidden,
    )


def lint_context(wish: ContextWish, settings: Settings, fleets: "Sequence[Fleet]") -> LintContext:
    """Give what decides which rules hold, without asking a cluster."""
    text = wish.kubernetes or _fleet_version(fleets) or settings.kubernetes
    releases = wish.windows or _fleet_releases(fleets) or settings.windows
    level = wish.pod_security or settings.pod_security
    return LintContext(
        kubernetes=_version(text) if text else newest_kubernetes(),
        builds=tuple(dict.fromkeys(_build(release) for release in releases)),
        network_mode=wish.network_mode or _fleet_mode(fleets) or settings.network_mode,
        containerd=_fleet_containerd(fleets),
        docker=any(fleet.runtime is not None and fleet.runtime.docker for fleet in fleets),
        gates={name: on for fleet in fleets for name, on in fleet.cluster.feature_gates.items()},
        taints=tuple(
            dict.fromkeys(
                taint for fleet in fleets for host in fleet.hosts for taint in host.taints
            )
        ),
        mixed=wish.mixed or settings.mixed,
        assume=OperatingSystem(wish.assume_os) if wish.assume_os else None,
        pod_security={"": level} if level else {},
        today=strftime("%Y-%m-%d", gmtime()),
    )


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
    written = {host.windows.release for fleet in fleets for host in fleet.hosts}
    known = [row.id for row in rows.read(Release) if any(map(row.is_called, written))]
    return known or sorted(written)


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
