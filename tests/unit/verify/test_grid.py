"""Tabs, states, and the page that shows them."""

import json
import re
from xml.etree import ElementTree as ET

import pytest

from transom.verify import junit, page
from transom.verify.grid import Look, State, document, state_of, tabs, title_of, written
from transom.verify.reading.sources import Given, runs_at
from transom.verify.results import Case, Outcome, Results, RunResults, Variant
from transom.verify.store import open_store

NOW = 1_800_000_000
LETTERS = {".": 0, "P": 1, "F": 2, "~": 3, "S": 4}
ON = Variant(
    kubernetes="v1.37.1", windows="20348", kb="KB1", runtime="containerd 2.2.1", cni="flannel"
)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("PPPP", State.PASS),
        ("FFFF", State.FAIL),
        ("PPFF", State.FAIL),
        ("PPPF", State.FAIL),
        ("PFPF", State.FLAKY),
        ("PFPP", State.FLAKY),
        ("PP~P", State.FLAKY),
        ("FPPPPPPPPPPP", State.PASS),
        ("SSSS", State.SKIP),
        ("PP" + "." * 10, State.STALE),
        ("PPSS", State.PASS),
    ],
)
def test_the_state_of_a_test(row, expected):
    assert state_of(bytes(LETTERS[letter] for letter in row), Look()) == expected


def test_a_row_is_short_where_all_runs_are_alike():
    assert written(b"\1\1\1\2\4\4\0") == "1112440"
    assert written(b"\1" * 400) == 1


@pytest.fixture
def store(tmp_path):
    with open_store(tmp_path / "results.db", create=True) as opened:
        yield opened


def add(store, build, outcomes, *, on=ON, age_days=0):
    cases = (
        Case(name, Outcome(LETTERS[letter]), 0, "it said <no>" if letter in "F~" else "")
        for name, letter in outcomes.items()
    )
    started = NOW - age_days * 86_400 + build
    run = RunResults(
        job="job",
        build=str(build),
        started=started,
        variant=on,
        results=Results.of(cases),
        source="x",
    )
    store.add(run)


def made(store):
    return tabs(store, now=NOW, look=Look())


def test_an_update_stays_in_its_tab_and_another_network_does_not(store):
    add(store, 1, {"a": "P"})
    add(store, 2, {"a": "F"}, on=Variant(**{**ON.known(), "kb": "KB2"}))
    add(store, 3, {"b": "P"}, on=Variant(**{**ON.known(), "cni": "calico"}))
    assert [(tab.title, tab.state, len(tab.runs), tab.tests) for tab in made(store)] == [
        ("Kubernetes 1.37, Windows 20348, containerd, flannel", State.FAIL, 2, ("a",)),
        ("Kubernetes 1.37, Windows 20348, containerd, calico", State.PASS, 1, ("b",)),
    ]
    assert title_of(Variant()) == "unknown combination"


def test_a_tab_without_a_recent_run_is_stale(store):
    add(store, 1, {"a": "P"}, age_days=8)
    (tab,) = made(store)
    assert (tab.state, tab.states) == (State.STALE, (State.STALE,))


def embedded(html):
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)
    assert data is not None
    return json.loads(data[1])


def test_the_page_carries_every_result(store):
    add(store, 1, {"a": "P", "b": "F"})
    add(store, 2, {"a": "P", "b": "~"})
    data = embedded(page.html(made(store), title="results"))
    (tab,) = data["tabs"]
    assert [data["names"][number] for number in tab["tests"]] == ["a", "b"]
    assert tab["rows"] == [1, "23"]
    assert tab["states"] == ["PASS", "FLAKY"]
    assert tab["told"] == [1, 0, 0, 1, 1, 0]
    assert data["texts"] == ["it said <no>"]


def test_the_page_names_the_cause_of_a_failure_and_says_where_none_is_known(store):
    known = "failed to create containerd task: hcs::CreateComputeSystem: The container operating system does not match the host operating system. (0xc0370101)"
    cases = [
        Case("a", Outcome.FAILED, 90_500, known),
        Case("b", Outcome.FAILED, 0, "expected 1, got 2"),
    ]
    store.add(
        RunResults(
            job="job", build="1", started=NOW, variant=ON, results=Results.of(cases), source="x"
        )
    )
    data = embedded(page.html(made(store), title="results"))
    causes = [data["cause_of"][text] for text in data["tabs"][0]["told"][2::3]]
    assert causes == [0, -1]
    (cause,) = data["causes"]
    assert cause["title"] == "the image's Windows build does not fit the host"
    assert (cause["sureness"], bool(cause["remedy"])) == ("sure", True)
    assert data["tabs"][0]["took"] == [90_500, 0]


HOSTILE = "</script><script>alert(1)</script><!-- \" ' & [x](y)"


def test_no_name_or_message_can_become_markup(store):
    add(store, 1, {HOSTILE: "P"})
    html = page.html(made(store), title=HOSTILE)
    assert "alert(1)</script>" not in html
    assert embedded(html)["names"] == [HOSTILE]
    assert "default-src 'none'" in html


def test_the_page_loads_nothing_from_elsewhere(store):
    html = page.html(made(store), title="results")
    assert not re.findall(r"(?:src|href)\s*=|@import|url\(", html)


def test_the_badge_is_svg_with_the_state_in_words():
    root = ET.fromstring(page.badge(State.FAIL, "windows <1>"))  # noqa: S314 - written here
    assert root.get("aria-label") == "windows <1>: FAIL"


def test_runs_written_in_prows_layout_are_read_back_as_they_were(store, tmp_path):
    """What TestGrid would be fed says what the store says."""
    add(store, 1, {"a": "P", "b": "F", "c": "S", "d": "~"})
    add(store, 2, {"a": "P", "b": "P"})
    (tab,) = made(store)
    for name, text in page.prow_files(tab):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    runs = list(runs_at(tmp_path / "logs", Given()))
    assert [(run.job, run.build, run.variant) for run in runs] == [
        ("job", "1", ON),
        ("job", "2", ON),
    ]
    assert {case.name: case.outcome for case in runs[0].results.cases()} == {
        "Overall": Outcome.FAILED,
        "a": Outcome.PASSED,
        "b": Outcome.FAILED,
        "c": Outcome.SKIPPED,
        "d": Outcome.FLAKY,
    }


def test_a_build_that_looks_like_a_path_stays_below_the_folder(store):
    run = RunResults(
        job="../..", build="/etc/passwd", started=NOW, variant=ON, results=Results.of([Case("a", Outcome.PASSED)]), source=""
    )  # fmt: skip
    store.add(run)
    (tab,) = made(store)
    names = {name.rsplit("/", 1)[0] for name, _ in page.prow_files(tab)}
    assert names == {"logs/-../-etc-passwd", "logs/-../-etc-passwd/artifacts"}


def test_junit_of_the_grid_fails_what_fails(store):
    add(store, 1, {"a": "P", "b": "F", "c": "S"})
    root = ET.fromstring(junit.of_grid(made(store)))  # noqa: S314 - written here
    told = {case.get("name"): [child.tag for child in case] for case in root.iter("testcase")}
    assert told == {"a": [], "b": ["failure"], "c": ["skipped"]}


def test_an_empty_store_makes_an_empty_page(store):
    assert document(made(store)) == {
        "tabs": [], "names": [], "texts": [], "causes": [], "cause_of": [],
    }  # fmt: skip
    assert page.worst([]) is State.STALE
