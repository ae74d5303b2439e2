"""What came of a fleet, as a table, as JSON or as JUnit; and the exit code that sums it up."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from transom.cli.output import console
from transom.cli.output.plan_text import not_applied_lines
from transom.documents.addons import changed_object
from transom.documents.fleets import FleetResult, applied_host
from transom.errors import TransomError, UnsupportedError, UsageError

if TYPE_CHECKING:
    from transom.fleet.addon_change import Change
    from transom.fleet.work.outcome import Applied

_NOT_APPLIED = 1
# XML 1.0 has no way to write the other control characters, not even escaped.
_FORBIDDEN = {code: "?" for code in range(32) if code not in (9, 10, 13)}


def print_result(
    results: Sequence["Applied"],
    *,
    fleet: str,
    verb: str,
    output: str,
    elapsed_s: float,
    addons: Sequence["Change"] = (),
    addons_error: TransomError | None = None,
) -> None:
    """The table and every reason, or the document."""
    if output == "json":
        document = FleetResult(
            fleet=fleet,
            verb=verb,
            hosts=tuple(applied_host(applied) for applied in results),
            addons=tuple(changed_object(change) for change in addons),
            addons_error=addons_error.message if addons_error is not None else "",
            addons_hint=addons_error.hint if addons_error is not None else "",
            elapsed_ms=round(elapsed_s * 1000),
        )
        console.print_json(document)
        return
    header = ("HOST", "OUTCOME", "READY", "KUBELET", "STEPS", "TIME")
    console.print_table(header, [_row(applied) for applied in results])
    if addons:
        print(f"add-ons: {len(addons)} objects applied")
    if addons_error is not None:
        print(f"add-ons: {addons_error.message}\n  next: {addons_error.hint}")
    for applied in results:
        for line in remarks(applied):
            print(line)
    for (found, why, fix), hosts in _refusals(results).items():
        print(f"{', '.join(hosts)}: {found}\n  why:  {why}\n  next: {fix}")
    for (message, hint), hosts in _reasons(results).items():
        print(f"{', '.join(hosts)}: {message}")
        if hint:
            print(f"  next: {hint}")


def remarks(applied: "Applied") -> Iterator[str]:
    """What is worth knowing of a host that did not fail."""
    for note in applied.notes:
        yield f"note: {note}"
    for change in applied.not_applied:
        first, *more = not_applied_lines(change)
        yield f"{applied.host}: {first}"
        yield from more


def exit_code(results: Sequence["Applied"]) -> int:
    """The worst of what came of the hosts; those that were never begun are a reason only where there is no other."""
    from transom.fleet.work.outcome import Outcome

    begun = [applied for applied in results if applied.outcome is not Outcome.NOT_STARTED]
    codes = [applied.error.exit_code for applied in begun if applied.error is not None]
    codes += [UnsupportedError.exit_code for applied in results if applied.refusals]
    held = [applied.error.exit_code for applied in results if applied.error is not None]
    lacks = [_NOT_APPLIED for applied in results if applied.not_applied]
    return max(codes or held or lacks, default=0)


def write_junit(path: Path, results: Sequence["Applied"], *, fleet: str, elapsed_s: float) -> None:
    """One case per host; what was refused or failed is a failure with its reason."""
    failures = sum(bool(applied.error or applied.refusals) for applied in results)
    counts = f'tests="{len(results)}" failures="{failures}" time="{elapsed_s:.3f}"'
    cases = "".join(_case(applied, fleet) for applied in results)
    text = (
        '<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="transom">\n'
        f"  <testsuite name={_attribute(fleet)} {counts}>\n{cases}  </testsuite>\n</testsuites>\n"
    )
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}", subject=str(path)) from error


def _refusals(results: Sequence["Applied"]) -> dict[tuple[str, str, str], list[str]]:
    """What was refused, each reason once with all it holds for."""
    said: dict[tuple[str, str, str], list[str]] = {}
    for applied in results:
        for refusal in applied.refusals:
            about = "" if refusal.subject == applied.host else f"{refusal.subject}: "
            key = (f"{about}{refusal.found}", refusal.reason, refusal.fix)
            said.setdefault(key, []).append(applied.host)
    return said


def _reasons(results: Sequence["Applied"]) -> dict[tuple[str, str], list[str]]:
    """Why hosts are not as planned, each reason once with all it holds for."""
    found: dict[tuple[str, str], list[str]] = {}
    for applied in results:
        if applied.error is not None and not applied.refusals:
            found.setdefault((applied.error.message, applied.error.hint), []).append(applied.host)
    return found


def _row(applied: "Applied") -> tuple[str, ...]:
    ready = {True: "yes", False: "no", None: "-"}[applied.ready]
    steps = str(len(applied.changed)) if applied.changed else "-"
    elapsed = f"{applied.elapsed_s:.1f} s" if applied.elapsed_s else "-"
    kubelet = applied.kubelet or "-"
    return (applied.host, applied.outcome.value, ready, kubelet, steps, elapsed)


def _case(applied: "Applied", fleet: str) -> str:
    name, time = _attribute(applied.host), f"{applied.elapsed_s:.3f}"
    head = f"    <testcase classname={_attribute(fleet)} name={name} time={quoteattr(time)}"
    said = [f"{item.subject}: {item.found}. {item.fix}" for item in applied.refusals]
    if applied.error is not None and not said:
        said = [applied.error.message, applied.error.hint]
    if not said:
        return f"{head}/>\n"
    kind, text = _attribute(applied.outcome.value), "\n".join(filter(None, said))
    message = _attribute(said[0])
    body = escape(text.translate(_FORBIDDEN))
    return (
        f"{head}>\n      <failure type={kind} message={message}>{body}</failure>\n    </testcase>\n"
    )


def _attribute(text: str) -> str:
    return quoteattr(text.translate(_FORBIDDEN))
