"""Findings of other linters, judged: which of them ask a Windows pod for what it cannot have.

Gives the log back with the wrong findings suppressed, as SARIF has it, each with the reason.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from transom.facts.foreign import WrongAdvice
from transom.facts.rows import read
from transom.model.report import Overruled
from transom.workload.context import LintContext
from transom.workload.paths import ObjectPath
from transom.workload.platform import decide
from transom.workload.pods import ObjectView, mapping, objects_in, pods_in, sequence
from transom.yamlio.document import Document

# How KubeLinter calls what we know of an object.
_LOGICAL = {"Object Name": "name", "Object Namespace": "namespace", "GVK/Kind": "kind"}
# Beyond the last line of any file that is read.
_END = 2**31


class Span(NamedTuple):
    """An object whose pods are for Windows, and its lines."""

    file: str
    first_line: int
    last_line: int
    kind: str
    namespace: str
    name: str

    @property
    def owner(self) -> str:
        """The object in words."""
        return f"{self.kind} {self.name}"


class _Place(NamedTuple):
    """Where a result says it is; `names` are of the object, as far as the tool tells them."""

    file: str
    line: int
    names: Mapping[str, str]

    def is_inside(self, span: Span) -> bool:
        """Whether the span is meant: by the object's names, else by the line."""
        if not _is_same_file(self.file, span.file):
            return False
        if not self.names:
            return span.first_line <= self.line <= span.last_line
        return all(getattr(span, part) == name for part, name in self.names.items())


def spans_in(
    documents: Sequence[Document],
    ctx: LintContext,
    templates: Mapping[str, Sequence[ObjectPath]] | None = None,
) -> Iterator[Span]:
    """Where the objects with Windows pods are in one file; an object ends where the next begins."""
    places = sorted(
        (document.locate(view.path).line, number, document, view)
        for number, (document, view) in enumerate(
            (document, view) for document in documents for view in objects_in(document.value)
        )
    )
    for index, (line, _number, document, view) in enumerate(places):
        if _is_for_windows(view, ctx, templates):
            last = places[index + 1][0] - 1 if index + 1 < len(places) else _END
            yield Span(document.name, line, last, view.kind, view.namespace, view.name)


def overrule(log: Any, spans: Iterable[Span]) -> tuple[dict[str, Any], list[Overruled]]:
    """Suppress what is wrong in a log; raise ValueError where it is no SARIF log."""
    if not isinstance(log, dict) or not isinstance(log.get("runs"), list):
        raise ValueError("it has no `runs`")  # noqa: TRY004 - a wrong document, not a wrong call
    judged = deepcopy(log)
    known = list(spans)
    overruled = [found for run in judged["runs"] for found in _in_run(mapping(run), known)]
    return judged, overruled


def _is_for_windows(
    view: ObjectView, ctx: LintContext, templates: Mapping[str, Sequence[ObjectPath]] | None
) -> bool:
    for pod in pods_in(view, templates):
        decide(pod, ctx)
        if pod.is_windows:
            return True
    return False


def _in_run(run: Mapping[str, Any], spans: Sequence[Span]) -> Iterator[Overruled]:
    driver = mapping(mapping(run.get("tool")).get("driver"))
    tool = str(driver.get("name", ""))
    advice = {
        check: row for row in read(WrongAdvice) if row.tool in tool.lower() for check in row.checks
    }
    for result in sequence(run.get("results")):
        row = advice.get(str(mapping(result).get("ruleId")))
        if row is None:
            continue
        place = _place(result)
        owner = next((span.owner for span in spans if place.is_inside(span)), "")
        if owner:
            reason = f"wrong for Windows: {row.why} ({', '.join(row.rules)})"
            result["suppressions"] = [
                *sequence(result.get("suppressions")),
                {"kind": "external", "status": "accepted", "justification": reason},
            ]
            yield Overruled(tool, str(result["ruleId"]), place.file, place.line, owner, reason)


def _place(result: Mapping[str, Any]) -> _Place:
    location = next((mapping(item) for item in sequence(result.get("locations"))), {})
    physical = mapping(location.get("physicalLocation"))
    region = mapping(physical.get("region")) or mapping(physical.get("contextRegion"))
    line = region.get("startLine", 1)
    return _Place(
        _file_of(str(mapping(physical.get("artifactLocation")).get("uri", ""))),
        line if isinstance(line, int) else 1,
        dict(_names(map(mapping, sequence(location.get("logicalLocations"))))),
    )


def _names(logical: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    """What KubeLinter says of the object; it puts every result into the file's first line."""
    for entry in logical:
        part = _LOGICAL.get(str(entry.get("kind")))
        if part is not None and entry.get("name"):
            yield part, str(entry["name"])


def _file_of(uri: str) -> str:
    """The path in a URI; kube-score writes `file://` before relative ones too."""
    parts = urlsplit(uri)
    is_file = parts.scheme == "file"
    return unquote(parts.netloc + parts.path if is_file else parts.path)


def _is_same_file(theirs: str, ours: str) -> bool:
    """Tools name files by different beginnings; their ends must agree."""
    left = [part for part in PurePosixPath(theirs).parts if part not in ("/", ".")]
    right = [
        part for part in PurePosixPath(ours.replace("\\", "/")).parts if part not in ("/", ".")
    ]
    shared = min(len(left), len(right))
    return shared > 0 and left[-shared:] == right[-shared:]
