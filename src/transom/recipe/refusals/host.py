"""Reasons that concern a host itself: its name, Windows release and Kubernetes version."""

import re
from collections.abc import Iterator

from transom.facts import rows
from transom.facts.join import Limit, ReservedLabel, Skew
from transom.facts.rows import At
from transom.facts.windows import PauseImage, Support
from transom.model.problem import Refusal
from transom.model.version import Version
from transom.recipe.case import Case
from transom.recipe.refusals.because import because, host_path

_NODE_NAME = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?")


def names(case: Case) -> Iterator[Refusal]:
    """A name that is no computer's or node's name, or too long."""
    name = case.host.computer_name
    limit = rows.one(Limit, "limit-computer-name", At())
    if not _NODE_NAME.fullmatch(name.lower()):
        yield Refusal(
            id="node-name",
            subject=host_path(case, "computerName"),
            found=name,
            reason="a computer's name is an RFC 1123 label: letters, digits and hyphens",
            fix="Give it a computerName without dot and underscore; nodeName may have dots.",
            source="kubernetes/kubernetes@v1.37.1 apimachinery/pkg/util/validation",
        )
    if len(name) > limit.value and case.host.long_name is None:
        yield because(
            limit,
            host_path(case, "computerName"),
            f"{name} has {len(name)} characters",
            limit.text,
            "Use at most 15 characters, or keep the name with longName: {dnsSuffix: ...}.",
        )


def windows_release(case: Case) -> Iterator[Refusal]:
    """A Windows release this Kubernetes does not support."""
    support = rows.find(Support, "windows-support", At(kubernetes=case.shape.kubernetes))
    subject = host_path(case, "windows.release")
    wanted = case.host.windows.release
    if support is None:
        covered = rows.read(Support)
        yield because(
            covered[-1],
            "kubernetes.version",
            str(case.shape.kubernetes),
            "nothing is known about Windows nodes of this version",
            f"Use a version from {covered[0].kubernetes} to {covered[-1].kubernetes}.",
        )
        return
    supported = f"Kubernetes {case.shape.kubernetes.minor_text} supports Windows Server {', '.join((*support.ltsc, *support.sac))}"
    if case.shape.release is None:
        yield because(support, subject, wanted, "no such release is known", supported + ".")
    elif case.shape.release.build not in support.builds:
        yield because(
            support,
            subject,
            f"{case.shape.release.name} (build {case.shape.release.build})",
            f"Kubernetes {case.shape.kubernetes.minor_text} does not support it",
            f"{supported}.",
        )


def reference_versions(case: Case) -> Iterator[Refusal]:
    """A version that facts only tell about."""
    limit = rows.one(Limit, "limit-covered-minor", At())
    if case.shape.kubernetes < Version(1, limit.value):
        yield because(
            limit,
            "kubernetes.version",
            str(case.shape.kubernetes),
            limit.text,
            f"Use 1.{limit.value} or newer; `transom explain {case.shape.kubernetes.minor_text}` says what was there.",
        )


def skew(case: Case) -> Iterator[Refusal]:
    """A kubelet too new or too old for the API server."""
    if case.shape.fleet.cluster.version is None:
        return
    server = Version.parse(case.shape.fleet.cluster.version)
    row = rows.one(Skew, "kubelet-skew", At(kubernetes=server))
    found = f"kubelet {case.shape.kubernetes}, API server {server}"
    if (case.shape.kubernetes.major, case.shape.kubernetes.minor) > (server.major, server.minor):
        yield because(
            row,
            "kubernetes.version",
            found,
            "a kubelet must not be newer than the API server",
            f"Use {server}, or upgrade the control plane first.",
        )
    elif server.minor - case.shape.kubernetes.minor > row.minors:
        yield because(
            row,
            "kubernetes.version",
            found,
            f"a kubelet may be at most {row.minors} minors older than the API server",
            f"Use 1.{server.minor - row.minors} or newer.",
        )


def pause_image(case: Case) -> Iterator[Refusal]:
    """A build that no pause image has."""
    default = rows.find(PauseImage, "pause-image", At(kubernetes=case.shape.kubernetes))
    if (
        case.shape.release is None
        or default is None
        or case.shape.pause is not None
        or case.shape.own_pause
    ):
        return
    yield because(
        default,
        host_path(case, "windows.release"),
        f"build {case.shape.release.build}",
        f"{default.image} and newer have no image for it",
        f"Use a release it has (builds {', '.join(map(str, default.builds))}), or make an image "
        f"(`transom image pause --windows {case.shape.release.id}`) and name it in "
        "runtime.containerd.pauseImage.",
    )


def reserved_labels(case: Case) -> Iterator[Refusal]:
    """Labels that a node gets by other means."""
    known = rows.read(ReservedLabel)
    for key, value in case.host.labels.items():
        row = next((row for row in known if row.covers(key)), None)
        if row is not None:
            subject = host_path(case, f'labels["{key}"]')
            yield because(row, subject, value, row.text, row.fix, row_id="reserved-label")
