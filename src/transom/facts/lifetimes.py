"""A Kubernetes minor or a Windows release as one explanation, put together from many facts.

It has what begins, ends or is supported there. Prints nothing.
"""

from collections.abc import Iterable

from transom.facts.describe import Explanation, explain_row
from transom.facts.gates import Gate
from transom.facts.kubelet import Flag
from transom.facts.rows import At, Row, find, read
from transom.facts.rules import Rule
from transom.facts.windows import Kb, PauseImage, Release, Support
from transom.model.version import Version, VersionRange


def minor(version: Version) -> Explanation | None:
    """What a minor supports on Windows, and what begins and ends with it; None if unknown."""
    at = At(kubernetes=version)
    support = find(Support, "windows-support", at)
    if support is None:
        return None
    told = explain_row(support)
    pause = find(PauseImage, "pause-image", at)
    what = [*told.what, told.why]
    if pause is not None:
        what.append(f"pause image {pause.image}")
    text = version.minor_text
    what += _listed("new rules", (rule.id for rule in read(Rule) if _since(rule) == text))
    what += _listed("rules that end", (rule.id for rule in read(Rule) if _until(rule) == text))
    what += _listed("new flags", (f"--{row.name}" for row in read(Flag) if _since(row) == text))
    what += _listed("flags gone", (f"--{row.name}" for row in read(Flag) if _until(row) == text))
    for change in ("alpha", "beta", "ga", "deprecated", "locked", "removed"):
        names = (gate.id for gate in read(Gate) if getattr(gate, change) == text)
        what += _listed(f"gates {'stable' if change == 'ga' else change}", names)
    return Explanation(
        id=f"kubernetes-{text}",
        kind="Kubernetes minor",
        title=f"Kubernetes {text}: {told.title}",
        what=tuple(what),
        since=f"Kubernetes {text}",
        do=f"See `transom facts --kubernetes {text}` for everything that holds.",
        note=support.note,
        source=support.source,
        checked=support.checked,
        confidence=support.confidence,
    )


def release(row: Release) -> Explanation:
    """A Windows release: its dates, its updates and the minors that support it."""
    told = explain_row(row)
    what = [*told.what]
    minors = [_since(support) for support in read(Support) if row.build in support.builds]
    if minors:
        span = minors[0] if len(minors) == 1 else f"{minors[0]} to {minors[-1]}"
        what.append(f"listed by Kubernetes {span}")
    else:
        what.append("listed by no Kubernetes minor")
    what += [
        f"{update.id}: {explain_row(update).why}"
        for update in read(Kb)
        if update.build == row.build
    ]
    return Explanation(
        id=row.id,
        kind=told.kind,
        title=told.title,
        what=tuple(what),
        since=f"available {row.available}",
        do=f"See `transom facts --windows {row.id}` for everything that holds.",
        note=row.note,
        source=row.source,
        checked=row.checked,
        confidence=row.confidence,
    )


def _listed(title: str, names: Iterable[str]) -> list[str]:
    found = list(dict.fromkeys(names))
    return [f"{title}: {', '.join(found)}"] if found else []


def _since(row: Row) -> str:
    since = VersionRange.parse(row.kubernetes).since
    return "" if since is None else since.minor_text


def _until(row: Row) -> str:
    until = VersionRange.parse(row.kubernetes).until
    return "" if until is None else until.minor_text
