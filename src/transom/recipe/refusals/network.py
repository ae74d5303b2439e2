"""Reasons that concern the network: plugin, mode, VXLAN numbers, address families."""

import ipaddress
from collections.abc import Iterator

from transom.facts import rows
from transom.facts.network import ModeLimit, ModeRow, PluginRow
from transom.model.fleet import ExternalSpec, FlannelSpec
from transom.model.problem import Refusal
from transom.model.version import Version
from transom.recipe.case import Case
from transom.recipe.refusals.because import because

_SINGLE_STACK = (
    "Use one IPv4 range, or a network in l2bridge mode that gives pods both families: "
    "azureCNI, or one that you install (external)."
)


def plugin(case: Case) -> Iterator[Refusal]:
    """A plugin, mode or version that does not run here."""
    row = case.shape.plugin_row
    subject = f"network.{case.shape.plugin}"
    if row is None:
        known = next(r for r in rows.read(PluginRow) if r.name == case.shape.plugin)
        yield because(
            known,
            subject,
            f"{known.title} with Kubernetes {case.shape.kubernetes}",
            f"it is known for Kubernetes {known.kubernetes}",
            "Use Flannel or win-bridge.",
        )
        return
    if not row.modes:
        yield because(
            row, subject, row.title, "it does not run on Windows", "Use Flannel or Calico."
        )
    elif case.shape.mode and case.shape.mode not in row.modes:
        yield because(
            row,
            f"{subject}.mode",
            case.shape.mode,
            f"{row.title} has {' and '.join(row.modes)} on Windows",
            f"Use {' or '.join(row.modes)}.",
        )
    if case.shape.runtime not in row.runtimes:
        yield because(
            row,
            subject,
            f"{row.title} with {case.shape.runtime}",
            f"{row.title} needs {' or '.join(row.runtimes)}",
            "Change the runtime or the plugin.",
        )
    yield from _plugin_version(case, row)
    written = case.shape.fleet.network.plugin
    if (
        isinstance(written, ExternalSpec)
        and written.source_endpoint
        and case.shape.mode != "overlay"
    ):
        yield because(
            row,
            f"{subject}.sourceEndpoint",
            written.source_endpoint,
            "kube-proxy sends from an address of its own on an overlay only",
            "Set mode: overlay, or leave sourceEndpoint out.",
        )


def _plugin_version(case: Case, row: PluginRow) -> Iterator[Refusal]:
    if not row.modes or row.managed:
        return
    needs_version = hasattr(case.shape.fleet.network.plugin, "version")
    subject = f"network.{case.shape.plugin}.version"
    if (
        needs_version
        and not case.shape.plugin_version
        and row.name not in ("winBridge", "winOverlay")
    ):
        yield because(
            row,
            subject,
            "no version",
            f"no version of {row.title} is known to fit by itself",
            f"Name one: {subject}.",
        )
    elif _is_older(case.shape.plugin_version, row.minimum):
        yield because(
            row,
            subject,
            case.shape.plugin_version,
            f"{row.title} runs on Windows from {row.minimum}",
            f"Use {row.minimum} or newer.",
        )


def _is_older(version: str, minimum: str) -> bool:
    return bool(version and minimum) and Version.parse(version) < Version.parse(minimum)


def vxlan(case: Case) -> Iterator[Refusal]:
    """VXLAN numbers that Windows does not take."""
    plugin = case.shape.fleet.network.plugin
    row: ModeRow | None = case.shape.mode_row
    if not isinstance(plugin, FlannelSpec) or row is None or not row.vni:
        return
    for key, found, wanted in (
        ("vni", case.shape.vni, row.vni),
        ("port", case.shape.port, row.port),
    ):
        if found != wanted:
            yield because(
                row,
                f"network.flannel.{key}",
                str(found),
                f"Windows takes only {wanted}, and every node must use the same",
                f"Set {key}: {wanted} here and in the Linux side's net-conf.json.",
            )


def address_families(case: Case) -> Iterator[Refusal]:
    """Address families the mode or the plugin cannot carry."""
    versions = {
        ipaddress.ip_network(c, strict=False).version for c in case.shape.fleet.network.pod_cidrs
    }
    found = ", ".join(case.shape.fleet.network.pod_cidrs)
    limits = rows.rows(ModeLimit, case.shape.at)
    if versions == {4, 6}:
        for row in limits:
            if row.feature != "dual-stack" or row.mode != case.shape.mode:
                continue
            if row.plugin in ("", case.shape.plugin):
                yield because(row, "network.podCIDRs", found, row.text, _SINGLE_STACK)
    if versions == {6}:
        row = next(row for row in limits if row.feature == "ipv6-only")
        yield because(row, "network.podCIDRs", found, row.text, "Add an IPv4 range.")
