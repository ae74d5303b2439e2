"""`transom verify` as a person meets it."""

import json
from xml.etree import ElementTree as ET

import pytest

from transom.cli.main import main

SUITE = '<testsuite timestamp="2026-11-{:02}T00:00:00">{}</testsuite>'
KINDS = {"P": "", "F": "<failure>no route to 10.96.0.1</failure>", "S": "<skipped/>"}


def write(path, day, **tests):
    cases = "".join(f'<testcase name="{n}">{KINDS[k]}</testcase>' for n, k in tests.items())
    path.write_text(SUITE.format(day, cases))
    return str(path)


@pytest.fixture
def transom(tmp_path, capsys):
    """Run a verb on a store of this test's own; give exit code, output and complaints."""

    def run(verb, *options):
        code = main(["verify", verb, "--store", str(tmp_path / "r.db"), *options])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def two_runs(transom, tmp_path):
    on = ("--variant", "kubernetes=1.37.1", "--variant", "windows=20348", "--job", "ci")
    good = write(tmp_path / "good.xml", 1, a="P", b="P", c="F")
    bad = write(tmp_path / "bad.xml", 2, a="F", b="S", c="F")
    transom("import", *on, "--variant", "kb=KB1", "--build", "1", good)
    transom("import", *on, "--variant", "kb=KB2", "--build", "2", bad)


def test_import_says_what_it_read_and_what_it_knew(transom, tmp_path):
    path = write(tmp_path / "a.xml", 1, a="P", b="F")
    code, out, _ = transom("import", path, "--job", "ci", "--build", "7", "--variant", "kb=KB1")
    assert (code, out) == (0, "ci/7: 1 passed, 1 failed, 0 flaky, 0 skipped; kb KB1\n")
    code, out, _ = transom("import", path, "--job", "ci", "--build", "7")
    assert code == 0
    assert "known already; --replace imports it again" in out


def test_one_damaged_file_does_not_keep_the_others_out(transom, tmp_path):
    good = write(tmp_path / "good.xml", 1, a="P")
    (tmp_path / "half.xml").write_text("<testsuite>")
    code, out, error = transom("import", str(tmp_path / "half.xml"), good, str(tmp_path / "no.xml"))
    assert code == 2
    assert "1 passed" in out
    assert "half.xml:1:12" in error
    assert "no.xml" in error
    assert "2 mistakes" in error


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--variant", "os=10"], "one of kubernetes, windows, kb"),
        (["--variant", "kb"], "says nothing about a run"),
        (["--started", "yesterday"], "'yesterday' is no time"),
        (["--build", "1"], "--build names one run"),
    ],
)
def test_wrong_options_change_nothing(transom, tmp_path, options, said):
    path = write(tmp_path / "a.xml", 1, a="P")
    code, _, error = transom("import", path, path, *options)
    assert (code, said in error) == (2, True)
    assert not (tmp_path / "r.db").exists()


@pytest.mark.usefixtures("two_runs")
def test_the_gate_names_what_regressed_and_what_differed(transom):
    code, out, _ = transom("gate")
    assert code == 1
    assert "REGRESSED  a\n    why:       it passed there and fails now" in out
    assert "differed:  kb KB1 -> KB2" in out
    assert "it said:   no route to 10.96.0.1" in out
    assert "REGRESSED  b\n    why:       it ran there and is skipped now" in out
    assert "REGRESSED  c" not in out


@pytest.mark.usefixtures("two_runs")
@pytest.mark.parametrize("against", ["latest", "1", "ci/1"])
def test_the_gate_compares_with_a_run_that_is_named(transom, against):
    code, out, _ = transom("gate", "--against", against, "-o", "json")
    report = json.loads(out)
    assert code == 1
    assert [item["test"] for item in report["verdicts"][0]["regressions"]] == ["a", "b"]
    assert report["verdicts"][0]["comparedWith"] == "ci/1"


@pytest.mark.usefixtures("two_runs")
def test_a_gate_as_junit_fails_in_ci(transom):
    code, out, _ = transom("gate", "-o", "junit")
    root = ET.fromstring(out)  # noqa: S314 - written here
    assert code == 1
    assert [
        case.get("name") for case in root.iter("testcase") if case.find("failure") is not None
    ] == ["a", "b"]


@pytest.mark.usefixtures("two_runs")
def test_a_gate_without_a_regression_passes(transom, tmp_path):
    again = write(tmp_path / "again.xml", 3, a="P", b="P", c="P")
    transom(
        "import",
        again,
        "--job",
        "ci",
        "--variant",
        "kubernetes=1.37.1",
        "--variant",
        "windows=20348",
    )
    code, out, _ = transom("gate")
    assert (code, "nothing regressed" in out) == (0, True)


@pytest.mark.usefixtures("two_runs")
def test_a_run_that_is_not_there_is_usage(transom):
    code, _, error = transom("gate", "--against", "9")
    assert (code, "'9' names 0 runs" in error) == (2, True)


def test_verbs_without_a_store_say_how_to_get_one(transom):
    for verb in ("gate", "grid"):
        code, _, error = transom(verb)
        assert (code, "`transom verify import` makes one" in error) == (2, True)


@pytest.mark.usefixtures("two_runs")
def test_the_grid_is_one_file_with_a_summary(transom, tmp_path):
    out_file = tmp_path / "site" / "grid.html"
    code, out, _ = transom(
        "grid", "--out", str(out_file), "--badge", str(tmp_path / "b.svg"), "--stale-days", "9999"
    )
    assert code == 0
    assert "FAIL   Kubernetes 1.37, Windows 20348  2     3" in out
    assert out_file.read_text().startswith("<!doctype html>")
    assert "FAIL" in (tmp_path / "b.svg").read_text()


@pytest.mark.usefixtures("two_runs")
def test_the_grid_as_json(transom):
    code, out, _ = transom("grid", "-o", "json", "--stale-days", "9999")
    (tab,) = json.loads(out)["tabs"]
    assert code == 0
    assert tab["counts"] == {"PASS": 1, "FAIL": 2, "FLAKY": 0, "STALE": 0, "SKIP": 0}
    assert [test["name"] for test in tab["notPassing"]] == ["a", "c"]
