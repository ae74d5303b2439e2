"""The grid as one HTML file, its badge, and its results in Prow's layout. Pure."""

import json
from collections.abc import Iterator, Sequence
from html import escape
from xml.sax.saxutils import escape as xml_escape
from xml.sax.saxutils import quoteattr

from transom.verify import junit
from transom.verify.grid import State, Tab, document
from transom.verify.results import Case, Outcome, RunResults
from transom.verify.store import Run
from transom.web import page

_BODY = """<style>
{style}</style>
<header>
<h1>{title}</h1>
<div class="tabs" role="tablist" aria-label="Combinations" id="tabs"></div>
</header>
<div class="bar" style="padding: 8px 16px; border-bottom: 1px solid var(--line)">
<input id="q" type="search" placeholder="Filter tests ( / )" aria-label="Filter tests by words of their name" size="28">
<select id="show" aria-label="Show">
<option value="all">all tests</option><option value="FAIL">FAIL</option><option value="FLAKY">FLAKY</option>
<option value="PASS">PASS</option><option value="SKIP">SKIP</option><option value="STALE">STALE</option><option value="skipped">skipped in the newest run</option>
</select>
<select id="compare" aria-label="Compare with another combination"></select>
<span class="dim" id="count" aria-live="polite"></span>
<span class="spacer"></span>
<span class="key dim"><i data-is="pass"></i>passed<i data-is="fail"></i>F failed<i data-is="flaky"></i>~ flaky<i data-is="skip"></i>skipped</span>
<button id="theme">Dark or light</button>
</div>
<main>
<div id="grid" tabindex="0" role="application" aria-label="Results: arrow keys move, n and p go to the next and previous failure" style="--names: min(46vw, 560px)">
<div id="space">
<div id="head"><canvas id="head-cells"></canvas><div id="corner" class="dim">newest run first; a blue mark: what it ran on changed</div></div>
<div id="names"></div>
<canvas id="cells"></canvas>
</div>
<p id="empty" hidden style="padding: 16px">No results yet: <code>transom verify import</code> brings some.</p>
</div>
<aside id="detail" aria-live="polite" hidden><button id="close" style="float: right" aria-label="Close">&times;</button><div id="detail-body"></div></aside>
</main>"""

_SHADES = {
    State.PASS: "#2f8f5b",
    State.FAIL: "#c8322b",
    State.FLAKY: "#8a5cc7",
    State.STALE: "#a87b00",
    State.SKIP: "#5b6b7b",
}


def html(tabs: Sequence[Tab], *, title: str) -> str:
    """The page."""
    body = _BODY.format(style=page.asset("grid.css"), title=escape(title))
    return page.render(title=title, body=body, script=page.asset("grid.js"), data=document(tabs))


def worst(tabs: Sequence[Tab]) -> State:
    """How all of it stands, in one word."""
    states = [tab.state for tab in tabs]
    order = (State.FAIL, State.STALE, State.FLAKY, State.SKIP, State.PASS)
    return next((state for state in order if state in states), State.STALE)


def badge(state: State, label: str) -> str:
    """A small picture for a README."""
    left, right = 8 + 7 * len(label), 16 + 8 * len(state.value)
    middle = left + right / 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right}" height="20" role="img" '
        f"aria-label={quoteattr(f'{label}: {state.value}')}>"
        f'<rect width="{left + right}" height="20" rx="3" fill="#3b4855"/>'
        f'<rect x="{left}" width="{right}" height="20" rx="3" fill="{_SHADES[state]}"/>'
        '<g fill="#fff" font-family="Verdana,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{left / 2}" y="14">{xml_escape(label)}</text>'
        f'<text x="{middle}" y="14">{state.value}</text></g></svg>\n'
    )


def prow_files(tab: Tab) -> Iterator[tuple[str, str]]:
    """Every run of a tab as Prow and TestGrid read them: path below the bucket, and text."""
    for column, run in enumerate(tab.runs):
        outcomes = [Outcome(row[column]) for row in tab.rows]
        cases = [
            Case(name, outcome, 0, tab.told.get((row, column), ""))
            for row, (name, outcome) in enumerate(zip(tab.tests, outcomes, strict=True))
        ]
        yield from _prow(run, f"logs/{_part(run.job)}/{_part(run.build)}", tab.title, cases)


def run_files(run: RunResults) -> Iterator[tuple[str, str]]:
    """One run as Prow leaves it: path below a folder for its job, and text."""
    folder = f"{_part(run.job)}/{_part(run.build)}"
    yield from _prow(run, folder, run.job, list(run.results.cases()))


def _prow(
    run: Run | RunResults, folder: str, title: str, cases: Sequence[Case]
) -> Iterator[tuple[str, str]]:
    passed = all(case.outcome is not Outcome.FAILED for case in cases)
    metadata = run.variant.known()
    started = {"timestamp": run.started, "metadata": metadata}
    finished = {
        "timestamp": run.started,
        "passed": passed,
        "result": "SUCCESS" if passed else "FAILURE",
        "metadata": metadata,
    }
    yield f"{folder}/started.json", json.dumps(started) + "\n"
    yield f"{folder}/finished.json", json.dumps(finished) + "\n"
    yield f"{folder}/artifacts/junit_transom.xml", junit.document({title: cases})


def _part(text: str) -> str:
    """A name as one part of a path, whatever a file said it was."""
    kept = "".join(char if char.isalnum() or char in "-_." else "-" for char in text)
    return kept.lstrip(".") or "unnamed"
