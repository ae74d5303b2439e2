"""Facts in words: one line for lists, and an explanation that answers what, since, why and do.

Knows the columns of the tables, prints nothing.
"""

from functools import singledispatch
from typing import Any

from transom.facts.api import Kind
from transom.facts.codes import ErrorCode
from transom.facts.failures import Failure, RefusalReason
from transom.facts.gates import Gate, GateState, state
from transom.facts.issues import KnownIssue
from transom.facts.kubelet import Field, Flag
from transom.facts.network import PluginRow
from transom.facts.rows import At, Row
from transom.facts.rules import Rule
from transom.facts.topics import Topic
from transom.facts.windows import ImageMatch, Kb, PauseBuild, PauseImage, Release, Support
from transom.model.records import dataclass
from transom.model.version import Version, VersionRange

_COMMON = frozenset(Row.columns)
_LARGEST_SIGNED = 0x7FFFFFFF
_BEHAVIOURS = {
    "rejected": "refused",
    "ignored": "ignored",
    "fails": "fails",
    "unsupported": "not supported",
    "different": "does something else on Windows",
    "required": "needed",
    "recommended": "advised",
    "deprecated": "deprecated",
    "unverified": "not verified",
    "refused": "refused: the kubelet does not start",
    "arithmetic": "only subtracted from allocatable",
    "fine": "works as on Linux",
}
_ENFORCERS = {
    "apiserver": "by the API server",
    "kubelet": "by the kubelet",
    "runtime": "by the container runtime",
    "kube-proxy": "by kube-proxy",
    "pod-security": "by Pod Security admission",
    "kubeadm": "by kubeadm",
    "scheduler": "by the scheduler",
    "none": "",
}
_SCOPES = {
    "windows": "in a pod for Windows",
    "os-name-windows": "when spec.os.name is windows",
    "os-name-linux": "when spec.os.name is linux",
    "host-process": "in a HostProcess pod",
    "no-host-process": "in a pod that is not HostProcess",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One fact, told to a person; empty parts have nothing to tell."""

    id: str
    kind: str
    title: str
    what: tuple[str, ...] = ()
    since: str = ""
    why: str = ""
    look: str = ""
    do: str = ""
    note: str = ""
    source: str = ""
    checked: str = ""
    confidence: str = ""


def summary(row: Row, at: At) -> str:
    """The fact in one line, as it is at that place."""
    told = explain_row(row)
    title = "" if told.title == row.id else told.title
    if isinstance(row, Gate) and at.kubernetes is not None:
        title = f"{title} ({_state(state(row, at.kubernetes))})".strip()
    text = told.why or "; ".join(told.what)
    where = _span(row, at)
    return ": ".join(filter(None, (title, text))) + (f" ({where})" if where else "")


def _state(found: GateState) -> str:
    locked = "locked " if found.locked else ""
    return f"{found.stage}, {locked}{'on' if found.on else 'off'}"


def _span(row: Row, at: At) -> str:
    """Where a row holds, in words, leaving out what the place already says."""
    parts = []
    if row.kubernetes and at.kubernetes is None:
        parts.append(f"Kubernetes {_minors(VersionRange.parse(row.kubernetes))}")
    if row.windows_build and at.build is None:
        parts.append(f"Windows build {_bounds(row.windows_build)}")
    if row.containerd and at.containerd is None:
        parts.append(f"containerd {_bounds(row.containerd)}")
    return ", ".join(parts)


def explain_row(row: Row) -> Explanation:
    """The fact as an explanation."""
    parts: dict[str, Any] = {
        "kind": row.table.replace("_", " "),
        "since": _span(row, At()) or "every version",
        "note": row.note,
        **_parts(row),
    }
    return Explanation(
        id=row.id, source=row.source, checked=row.checked, confidence=row.confidence, **parts
    )


@singledispatch
def _parts(row: Row) -> dict[str, Any]:
    own = {
        name: value
        for name in row.columns
        if name not in _COMMON and (value := getattr(row, name)) not in ("", (), 0)
    }
    title = own.pop("title", "") or own.get("name", "") or row.id
    text = own.pop("text", "")
    what = tuple(f"{name.replace('_', ' ')}: {_plain(value)}" for name, value in own.items())
    return {"title": str(title), "what": what, "why": text}


@_parts.register
def _rule(row: Rule) -> dict[str, Any]:
    scope = " and ".join(_SCOPES[condition] for condition in row.scope)
    behaviour = row.effect or f"{_BEHAVIOURS[row.behaviour]} {_ENFORCERS[row.enforced_by]}"
    why = behaviour.strip()
    if scope:
        why += f", {scope}"
    if row.when_os_name_unset:
        why += f"; without spec.os.name: {_BEHAVIOURS[row.when_os_name_unset]}"
    since = _span(row, At()) or "every version"
    if row.gate:
        since += f"; gate {row.gate}"
    if row.enforced_since:
        since += f"; enforced from {row.enforced_since} on"
    if not row.effective_since:
        since += "; off by default"
    elif not row.kubernetes.startswith(f">={row.effective_since}"):
        since += f"; with default gates from {row.effective_since} on"
    return {
        "kind": f"rule, {row.severity}",
        "title": row.title,
        "what": (f"{', '.join(row.kinds)}: {', '.join(row.paths)}", f"matches when: {row.match}"),
        "since": since,
        "why": why,
        "do": row.fix,
    }


@_parts.register
def _kind(row: Kind) -> dict[str, Any]:
    one = next((field for field in row.fields if field.startswith("spec.")), row.fields[-1])
    return {
        "kind": "API object",
        "title": row.name,
        "what": (f"{row.api}, {len(row.fields)} fields",),
        "since": "",
        "do": f"Ask for a field, such as `transom explain {row.name.lower()}.{one}`.",
    }


@_parts.register
def _gate(row: Gate) -> dict[str, Any]:
    life = {
        "alpha": row.alpha,
        "beta": row.beta,
        "stable": row.ga,
        "deprecated": row.deprecated,
        "on by default": row.on_by_default,
        "off again": row.off_again,
        f"locked {'on' if row.locked_to else 'off'}": row.locked,
        "gone": row.removed,
    }
    since = ", ".join(f"{name} {minor}" for name, minor in life.items() if minor)
    if row.removed:
        do = f"Do not set it from {row.removed} on: the program that reads it does not start."
    elif row.locked:
        do = f"Leave it out from {row.locked} on: any other value is refused."
    else:
        do = ""
    return {
        "kind": "feature gate",
        "title": row.name,
        "what": (f"read by {', '.join(row.components)}",),
        "since": since,
        "why": row.text,
        "do": do,
    }


@_parts.register
def _flag(row: Flag) -> dict[str, Any]:
    until = VersionRange.parse(row.kubernetes).until
    do = f"Remove it from {until.minor_text} on: the kubelet does not start." if until else ""
    return {"kind": "kubelet flag", "title": f"--{row.name}", "why": row.text, "do": do}


@_parts.register
def _field(row: Field) -> dict[str, Any]:
    return {
        "kind": "kubelet configuration",
        "title": row.path,
        "what": (f"{_BEHAVIOURS[row.behaviour]}, when the value is: {row.when}",),
        "why": row.text,
        "do": row.fix,
    }


@_parts.register
def _release(row: Release) -> dict[str, Any]:
    dates = {
        "available": row.available,
        "mainstream support until": row.mainstream_end,
        "extended support until": row.extended_end,
    }
    what = [f"build {row.build}, channel {row.channel}"]
    what.append(", ".join(f"{name} {date}" for name, date in dates.items() if date))
    if row.tags:
        what.append(f"image tags {', '.join(row.tags)}")
    return {"kind": "Windows release", "title": row.name, "what": tuple(what), "why": what[0]}


@_parts.register
def _support(row: Support) -> dict[str, Any]:
    runtimes = []
    if row.containerd_minimums:
        least = ", ".join(row.containerd_minimums)
        runtimes.append(f"containerd {least} or later ({row.containerd_stage})")
    if row.docker_minimum:
        runtimes.append(f"Docker {row.docker_minimum} or later by {row.docker_by}")
    return {
        "title": f"Windows nodes are {row.stage}",
        "what": (
            f"Windows Server {', '.join((*row.ltsc, *row.sac))}",
            f"builds {', '.join(map(str, row.builds))}",
        ),
        "why": "; ".join(runtimes),
    }


@_parts.register
def _pause(row: PauseImage) -> dict[str, Any]:
    builds = ", ".join(map(str, row.builds))
    return {"kind": "pause image", "title": row.image, "why": f"has builds {builds}"}


@_parts.register
def _pause_build(row: PauseBuild) -> dict[str, Any]:
    why = "for a build that no published pause image has: `transom image pause`"
    return {"kind": "own pause image", "title": f"{row.program} on {row.base}", "why": why}


@_parts.register
def _match(row: ImageMatch) -> dict[str, Any]:
    return {"kind": "image matching", "title": row.rule, "why": row.note, "note": ""}


@_parts.register
def _kb(row: Kb) -> dict[str, Any]:
    least = f"{row.build}.{row.revision}" if row.revision else f"a later revision of {row.build}"
    return {
        "kind": "Windows update",
        "title": row.id,
        "since": f"Windows build {row.build}",
        "why": row.note or row.needed_for,
        "do": f"Bring the host to {least} or later.",
        "note": "",
    }


@_parts.register
def _failure(row: Failure) -> dict[str, Any]:
    return {
        "kind": "known failure",
        "title": row.title,
        "what": row.messages,
        "why": row.cause,
        "look": row.look,
        "do": row.remedy,
    }


@_parts.register
def _code(row: ErrorCode) -> dict[str, Any]:
    return {
        "kind": f"{row.area} code",
        "title": row.name,
        "what": _spellings(row),
        "why": row.cause,
        "look": row.look,
        "do": row.remedy,
    }


def _spellings(row: ErrorCode) -> tuple[str, ...]:
    """The ways a value is written in logs, then the sentence of Windows."""
    numbers = [f"0x{row.value:x}", str(row.value)]
    if row.value > _LARGEST_SIGNED:
        numbers.append(str(row.value - 2 * _LARGEST_SIGNED - 2))
    return tuple(filter(None, (", ".join(numbers), row.text)))


@_parts.register
def _reason(row: RefusalReason) -> dict[str, Any]:
    return {"kind": "refusal", "title": row.title, "why": row.cause, "do": row.remedy}


@_parts.register
def _issue(row: KnownIssue) -> dict[str, Any]:
    return {"kind": "known issue", "title": row.title, "why": row.text, "do": row.remedy}


@_parts.register
def _plugin(row: PluginRow) -> dict[str, Any]:
    modes = f"modes {', '.join(row.modes)}" if row.modes else "no mode on Windows"
    what = (f"{modes}; runtimes {', '.join(row.runtimes)}" if row.modes else modes,)
    do = f"Use version {row.minimum} or later." if row.minimum else ""
    why = f"needs {row.needs}" if row.needs else ""
    return {"kind": "network plugin", "title": row.title, "what": what, "why": why, "do": do}


@_parts.register
def _topic(row: Topic) -> dict[str, Any]:
    return {"kind": row.area, "title": row.title, "why": row.text}


def _minors(span: VersionRange) -> str:
    since, until = span.since, span.until
    last = "" if until is None else Version(until.major, max(until.minor - 1, 0)).minor_text
    if since is None:
        return f"up to {last}"
    if until is None:
        return f"from {since.minor_text} on"
    return since.minor_text if since.minor_text == last else f"{since.minor_text} to {last}"


def _bounds(text: str) -> str:
    words = {">=": "from ", "<": "before "}
    parts = []
    for bound in text.replace(" ", "").split(","):
        sign = ">=" if bound.startswith(">=") else "<"
        parts.append(words[sign] + bound.removeprefix(sign))
    return ", ".join(parts)


def _plain(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return ("yes" if value else "no") if isinstance(value, bool) else str(value)
