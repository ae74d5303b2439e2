"""Findings of other linters, judged: which of them ask a Windows pod for what it cannot have.

Called by the command line with a SARIF log and with where the Windows pods are. Gives the log
back with the wrong findings suppressed, as SARIF has it, each with the reason.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from pathlib import PurePosixPath
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from transom.facts.foreign import WrongAdvice
from transom.facts.rows import read
from transom.spec.document import Document
from transom.workload.context import LintContext
from transom.workload.paths import ObjectPath
from transom.workload.platform import decide
from transom.workload.pods import ObjectView, mapping, objects_in, pods_in, sequence

# Beyond the last line of any file that is read.
_END = 2**31


class Span(NamedTuple):
    """The lines of an object whose pods are for Windows."""

    file: str
    first_line: int
    last_line: int
    owner: str


class Overruled(NamedTuple):
    """One finding of another tool that is wrong here."""

    tool: str
    check: str
    file: str
    line: int
    owner: str
    reason: str


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
            yield Span(document.name, line, last, f"{view.kind} {view.name}")


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
        file, line = _place(result)
        owner = next((span.owner for span in spans if _is_inside(file, line, span)), "")
        if owner:
            reason = f"wrong for Windows: {row.why} ({', '.join(row.rules)})"
            result["suppressions"] = [
                *sequence(result.get("suppressions")),
                {"kind": "external", "status": "accepted", "justification": reason},
            ]
            yield Overruled(tool, str(result["ruleId"]), file, line, owner, reason)


def _place(result: Mapping[str, Any]) -> tuple[str, int]:
    location = next((mapping(item) for item in sequence(result.get("locations"))), {})
    physical = mapping(location.get("physicalLocation"))
    uri = str(mapping(physical.get("artifactLocation")).get("uri", ""))
    line = mapping(physical.get("region")).get("startLine", 1)
    return unquote(urlsplit(uri).path), line if isinstance(line, int) else 1


def _is_inside(file: str, line: int, span: Span) -> bool:
    """Tools name files by different beginnings; their ends must agree."""
    if not span.first_line <= line <= span.last_line:
        return False
    theirs = [part for part in PurePosixPath(file).parts if part not in ("/", ".")]
    ours = [part for part in PurePosixPath(span.file.replace("\\", "/")).parts if part != "."]
    shared = min(len(theirs), len(ours))
    return shared > 0 and theirs[-shared:] == ours[-shared:]
