"""The page of checks, made of their declarations. Pure."""

from collections.abc import Iterator

from transom.verify.check import Check, Suite
from transom.verify.checks import CHECKS

_HEAD = """\
# Checks of Windows nodes

What [`transom verify run`](verify.md) checks, by suite. *Lab* is *yes* where the check passes on a real API server and kubelet.exe and is shown to fail
there (`tests/lab/test_verify_run.py`); where it only passes, or cannot be run, it says why. Every check passes, and fails by its fault, on simulated answers.

<!-- generated from src/transom/verify/checks by tools/generate.py; edit nothing -->
"""


def page() -> str:
    """The whole page."""
    return _HEAD + "".join(_suite(suite) for suite in Suite)


def _suite(suite: Suite) -> str:
    rows = "".join(_row(check) for check in CHECKS if check.suite is suite)
    return f"\n## {suite.value}\n\n| check | what it shows | why | lab |\n|---|---|---|---|\n{rows}"


def _row(check: Check) -> str:
    marks = "".join(_marks(check))
    passes = f"passes; no fault: {check.lab_fault}" if check.lab_fault else "yes"
    lab = f"no: {check.lab}" if check.lab else passes
    return f"| `{check.name}` | {check.what}{marks} | {check.why} | {lab} |\n"


def _marks(check: Check) -> Iterator[str]:
    if check.is_disruptive:
        yield " Disruptive: only with `--disruptive`."
    for gate in check.gates:
        yield f" Needs {gate}."
