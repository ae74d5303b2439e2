"""Ginkgo's own report (`--json-report`): unlike its JUnit, it says how often a test was tried.

Source: onsi/ginkgo v2 types/types.go, `Report` and `SpecReport`.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from transom.verify.reading.limits import (
    JSON_BYTES,
    MESSAGE_CHARACTERS,
    NAME_CHARACTERS,
    TESTS,
    Readable,
    bounded,
    refuse,
)
from transom.verify.results import Case, Outcome, Results

_STATES = {
    "passed": Outcome.PASSED,
    "skipped": Outcome.SKIPPED,
    "pending": Outcome.SKIPPED,
    "failed": Outcome.FAILED,
    "aborted": Outcome.FAILED,
    "panicked": Outcome.FAILED,
    "interrupted": Outcome.FAILED,
    "timedout": Outcome.FAILED,
}
_NANOSECONDS = 1_000_000
# Written for every suite, run or not; a failed one keeps its name and counts.
_LEAVES = ("It",)


def read_json(stream: Readable, file: str) -> Any:
    """A JSON document of bounded size."""
    data = stream.read(JSON_BYTES + 1)
    if len(data) > JSON_BYTES:
        raise refuse(file, f"it is larger than {JSON_BYTES >> 20} MiB")
    try:
        document = json.loads(data)
        if b"\\u" in data:  # JSON can escape half a character, which no store can have
            document = json.loads(json.dumps(document, ensure_ascii=False).encode(errors="replace"))
    except (ValueError, RecursionError) as error:
        raise refuse(file, f"it is not JSON: {error}") from error
    return document


def read(stream: Readable, file: str) -> Results:
    """The results of all suites of a report."""
    reports = read_json(stream, file)
    if not isinstance(reports, list) or not all(isinstance(item, dict) for item in reports):
        raise refuse(file, "it is JSON, but no Ginkgo report: that is a list of suites")
    results = Results.of(case for report in reports for case in _suite(report, file))
    if len(results) > TESTS:
        raise refuse(file, f"it has more than {TESTS} tests")
    return results


def _suite(report: Mapping[str, Any], file: str) -> Iterator[Case]:
    specs = report.get("SpecReports")
    if specs is None:
        return
    if not isinstance(specs, list):
        raise refuse(file, "SpecReports is no list")
    for spec in specs:
        if not isinstance(spec, dict):
            raise refuse(file, "a spec report is no object")
        case = _case(spec)
        if case is not None:
            yield case


def _case(spec: Mapping[str, Any]) -> Case | None:
    outcome = _STATES.get(str(spec.get("State", "")))
    leaf = str(spec.get("LeafNodeType", ""))
    if outcome is None or (leaf not in _LEAVES and outcome is not Outcome.FAILED):
        return None
    if outcome is Outcome.PASSED and _was_retried(spec):
        outcome = Outcome.FLAKY
    return Case(
        bounded(_name(spec, leaf), NAME_CHARACTERS),
        outcome,
        _milliseconds(spec.get("RunTime")),
        bounded(_message(spec), MESSAGE_CHARACTERS),
    )


def _was_retried(spec: Mapping[str, Any]) -> bool:
    """Whether a try failed first; a test that must pass repeatedly has several tries as well."""
    attempts = spec.get("NumAttempts")
    return isinstance(attempts, int) and attempts > 1 and not spec.get("MaxMustPassRepeatedly")


def _name(spec: Mapping[str, Any], leaf: str) -> str:
    texts = spec.get("ContainerHierarchyTexts")
    holders = [str(text) for text in texts] if isinstance(texts, list) else []
    name = " ".join([*holders, str(spec.get("LeafNodeText", ""))]).strip()
    return name if leaf in _LEAVES and name else f"[{leaf}] {name}".strip()


def _message(spec: Mapping[str, Any]) -> str:
    for failure in (spec.get("Failure"), *_listed(spec.get("AdditionalFailures"))):
        if isinstance(failure, dict):
            inner = failure.get("Failure")
            told = inner if isinstance(inner, dict) else failure
            if told.get("Message"):
                return str(told["Message"])
    return ""


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _milliseconds(value: Any) -> int:
    return value // _NANOSECONDS if isinstance(value, int) and 0 <= value < 4 * 10**15 else 0
