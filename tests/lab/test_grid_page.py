"""The grid in a real browser, driven as a person would: 7,000 tests by 400 runs."""

import json
import os
import random
import shutil
import subprocess
import time
from urllib.request import Request, urlopen

import pytest

from transom.verify import page
from transom.verify.grid import Look, tabs
from transom.verify.results import Case, Outcome, Results, RunResults, Variant
from transom.verify.store import open_store

NOW = 1_790_000_000
TESTS, RUNS = 7_000, 400
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # as the WebDriver specification has it
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--window-size=1400,900",
)  # fmt: skip


class Browser:
    """A Chromium, spoken to by WebDriver."""

    def __init__(self, port):
        self.base = f"http://127.0.0.1:{port}"
        answer = self.ask(
            "POST",
            "/session",
            {"capabilities": {"alwaysMatch": {"goog:chromeOptions": {"args": list(FLAGS)}}}},
        )
        self.base += f"/session/{answer['sessionId']}"

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = Request(self.base + path, data, method=method)  # noqa: S310 - loopback
        with urlopen(request, timeout=60) as answer:  # noqa: S310 - same
            return json.load(answer)["value"]

    def open(self, url):
        self.ask("POST", "/url", {"url": "about:blank"})
        self.ask("POST", "/url", {"url": url})

    def run(self, script):
        return self.ask("POST", "/execute/sync", {"script": script, "args": []})

    def type(self, selector, text):
        found = self.ask("POST", "/element", {"using": "css selector", "value": selector})
        self.ask("POST", f"/element/{found[ELEMENT]}/value", {"text": text})


@pytest.fixture(scope="module")
def grid_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("grid")
    chance = random.Random(3)
    passed = [
        Case(f"[sig-windows] area {n % 40} test {n:04}", Outcome.PASSED) for n in range(TESTS)
    ]
    with open_store(folder / "results.db", create=True) as store:
        for run in range(RUNS):
            cases = list(passed)
            for number in chance.sample(range(100, TESTS), 4):
                cases[number] = Case(cases[number].name, Outcome.FLAKY, 0, "once")
            if run >= 390:
                cases[42] = Case(cases[42].name, Outcome.FAILED, 90_500, "no route (0xc0370101)")
            on = Variant(kubernetes="1.37.1", windows="20348", kb="KB2" if run >= 390 else "KB1")
            results = RunResults(
                job="ci", build=str(run), started=NOW - (RUNS - run) * 3600, variant=on, results=Results.of(cases), source=""
            )  # fmt: skip
            store.add(results)
        made = tabs(store, now=NOW, look=Look())
    path = folder / "grid.html"
    path.write_text(page.html(made, title="results"))
    return path


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    driver = shutil.which("chromedriver")
    if driver is None:
        if os.environ.get("CI") == "true":
            pytest.fail("chromedriver is missing (tests/setup.sh)")
        pytest.skip("chromedriver is missing (tests/setup.sh)")
    port = 19_515 + os.getpid() % 1000
    log = tmp_path_factory.mktemp("browser") / "log"
    with subprocess.Popen([driver, f"--port={port}", f"--log-path={log}"], stdout=subprocess.DEVNULL) as process:  # fmt: skip
        try:
            yield _ready(port)
        finally:
            process.terminate()


def _ready(port):
    deadline = time.monotonic() + 60
    while True:
        try:
            return Browser(port)
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)


@pytest.fixture
def opened(browser, grid_file):
    browser.open(f"file://{grid_file}")
    return browser


def names(browser):
    return browser.run(
        "return [...document.querySelectorAll('#names .name')].map((n) => n.textContent)"
    )


def detail(browser):
    return browser.run(
        "return document.getElementById('detail').hidden ? '' : document.getElementById('detail').innerText"
    )


def test_only_the_rows_in_sight_are_made(opened):
    assert 10 < len(names(opened)) < 60
    assert (
        opened.run("return document.getElementById('count').textContent")
        == "7,000 of 7,000 tests, 400 runs"
    )


def test_scrolling_to_the_end_shows_the_last_test_at_once(opened):
    took = opened.run(
        "const g = document.getElementById('grid'); g.scrollTop = 1e9; const from = performance.now(); draw(); return performance.now() - from"
    )
    assert names(opened)[-1] == "[sig-windows] area 39 test 6999"
    assert took < 100


def test_the_next_failure_by_keyboard_says_since_when_and_what_differed(opened):
    opened.type("#grid", "n")
    shown = detail(opened)
    assert "test 0042" in shown
    assert "first bad run\nci/390" in shown
    assert "last good run\nci/389" in shown
    assert "kb KB1 → KB2" in shown
    assert "no route" in shown
    assert (
        "cause\nthe image's Windows build does not fit the host (failure-image-os, sure)" in shown
    )
    assert "took\n1 min 31 s" in shown or "took in the newest run\n1 min 31 s" in shown


def test_arrows_move_and_escape_closes(opened):
    opened.type("#grid", "n")
    opened.type("#grid", "\ue014" * 10)  # to the right, which is back in time
    assert "outcome\npassed" in detail(opened)
    assert "ci/389" in detail(opened)
    opened.type("#grid", "\ue00c")
    assert detail(opened) == ""


def test_a_filter_is_in_the_address_and_a_link_shows_the_same(opened, grid_file):
    opened.type("#q", "area 7 0047")
    address = opened.run("return location.href")
    assert names(opened) == ["[sig-windows] area 7 test 0047"]
    opened.open(address)
    assert names(opened) == ["[sig-windows] area 7 test 0047"]
    opened.open(f"file://{grid_file}#show=FAIL")
    assert names(opened) == ["[sig-windows] area 2 test 0042"]


def test_dark_and_light_differ_and_both_are_drawn(opened):
    ground = "return getComputedStyle(document.body).backgroundColor"
    pixel = "return [...document.getElementById('cells').getContext('2d').getImageData(8, 8, 1, 1).data]"
    before, drawn = opened.run(ground), opened.run(pixel)
    opened.run("document.getElementById('theme').click()")
    assert opened.run(ground) != before
    assert drawn[3] == opened.run(pixel)[3] == 255
    assert drawn != opened.run(pixel)
