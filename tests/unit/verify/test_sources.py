"""What a path holds: files, folders of a run, folders of many runs, archives."""

import gzip
import io
import json
import tarfile
from pathlib import Path

import pytest

from transom.errors import UsageError
from transom.verify.reading import sonobuoy
from transom.verify.reading.sources import Given, runs_at
from transom.verify.results import Outcome, Variant

CASE = '<testsuite timestamp="2026-11-18T04:05:06Z"><testcase name="{}">{}</testcase></testsuite>'


def junit(name="a", inner=""):
    return CASE.format(name, inner)


def outcomes(run):
    return {case.name: case.outcome for case in run.results.cases()}


def one(path, **given):
    (run,) = runs_at(path, Given(**given))
    return run


def test_a_file_is_a_run_named_by_its_content(tmp_path):
    """The same file is never two runs, and another file is never the same run."""
    for name, text in {"1.xml": junit(), "2.xml": junit(), "3.xml": junit("b")}.items():
        (tmp_path / name).write_text(text)
    builds = [one(tmp_path / name).build for name in ("1.xml", "2.xml", "3.xml")]
    assert builds[0] == builds[1] != builds[2]
    assert one(tmp_path / "1.xml").started == 1_794_974_706
    assert one(tmp_path / "1.xml").job == tmp_path.name


def test_a_packed_file_is_read(tmp_path):
    (tmp_path / "junit.xml.gz").write_bytes(gzip.compress(junit().encode()))
    assert outcomes(one(tmp_path / "junit.xml.gz")) == {"a": Outcome.PASSED}


def test_the_files_of_a_folder_are_one_run(tmp_path):
    """Parallel processes write a file each and skip what others ran."""
    (tmp_path / "junit_01.xml").write_text(junit("a"))
    (tmp_path / "junit_02.xml").write_text(junit("a", "<skipped/>"))
    (tmp_path / "junit_03.xml").write_text(junit("b", "<failure/>"))
    assert outcomes(one(tmp_path)) == {"a": Outcome.PASSED, "b": Outcome.FAILED}


def spec(state="passed", **more):
    return {
        "ContainerHierarchyTexts": ["[sig-windows]", "Services"],
        "LeafNodeType": "It",
        "LeafNodeText": "answer",
        "State": state,
        "RunTime": 1_500_000_000,
        **more,
    }


def ginkgo(*specs):
    return json.dumps([{"SuiteDescription": "e2e", "SpecReports": specs}])


SPECS = {
    "passed": (spec(), Outcome.PASSED),
    "passed when tried again": (spec(NumAttempts=2, MaxFlakeAttempts=3), Outcome.FLAKY),
    "passed as often as it must": (spec(NumAttempts=3, MaxMustPassRepeatedly=3), Outcome.PASSED),
    "timed out": (spec("timedout"), Outcome.FAILED),
    "pending": (spec("pending"), Outcome.SKIPPED),
}


@pytest.mark.parametrize("name", SPECS)
def test_ginkgos_own_report_knows_retries(tmp_path, name):
    written, expected = SPECS[name]
    (tmp_path / "report.json").write_text(ginkgo(written))
    run = one(tmp_path / "report.json")
    assert outcomes(run) == {"[sig-windows] Services answer": expected}
    assert run.results.milliseconds[0] == 1500


def test_half_a_character_in_json_is_no_end_of_the_import(tmp_path):
    written = ginkgo({**spec(), "LeafNodeText": "answer \ud800 and \U0001f600"})
    (tmp_path / "report.json").write_text(written)
    assert outcomes(one(tmp_path / "report.json")) == {
        "[sig-windows] Services answer ? and \U0001f600": Outcome.PASSED
    }


def test_ginkgos_report_counts_where_junit_stands_beside_it(tmp_path):
    (tmp_path / "junit.xml").write_text(junit("[sig-windows] Services answer"))
    (tmp_path / "report.json").write_text(ginkgo(spec(NumAttempts=2)))
    assert outcomes(one(tmp_path)) == {"[sig-windows] Services answer": Outcome.FLAKY}


def test_a_failed_set_up_of_the_suite_is_kept_and_a_good_one_is_not(tmp_path):
    setup = {"LeafNodeType": "SynchronizedBeforeSuite", "LeafNodeText": ""}
    report = [
        {**setup, "State": "passed"},
        {**setup, "State": "failed", "Failure": {"Message": "no nodes"}},
    ]
    (tmp_path / "report.json").write_text(ginkgo(*report))
    run = one(tmp_path / "report.json")
    assert [(case.name, case.outcome, case.message) for case in run.results.cases()] == [
        ("[SynchronizedBeforeSuite]", Outcome.FAILED, "no nodes")
    ]


def prow(folder, *, finished=None, inner=""):
    (folder / "artifacts" / "deep").mkdir(parents=True)
    (folder / "started.json").write_text('{"timestamp": 1794974706}')
    if finished is not None:
        (folder / "finished.json").write_text(json.dumps(finished))
    (folder / "artifacts" / "deep" / "junit_01.xml").write_text(junit("a", inner))
    (folder / "artifacts" / "metadata.xml").write_text("<machine/>")


def test_a_prow_job_is_named_by_its_folders_and_its_artifacts_are_its_results(tmp_path):
    folder = tmp_path / "ci-windows" / "1900"
    prow(folder, finished={"passed": True, "metadata": {"kubernetes": "v1.37.1", "other": 1}})
    run = one(folder)
    assert (run.job, run.build, run.started) == ("ci-windows", "1900", 1_794_974_706)
    assert run.variant == Variant(kubernetes="v1.37.1")
    assert outcomes(run) == {"Overall": Outcome.PASSED, "a": Outcome.PASSED}


@pytest.mark.parametrize(
    ("finished", "overall"),
    [
        ({"passed": False, "result": "FAILURE"}, Outcome.FAILED),
        ({"result": "ABORTED"}, Outcome.FAILED),
        (None, Outcome.FAILED),
    ],
)
def test_a_job_that_broke_is_not_green_because_its_tests_are(tmp_path, finished, overall):
    folder = tmp_path / "job" / "1"
    prow(folder, finished=finished)
    assert outcomes(one(folder)) == {"Overall": overall, "a": Outcome.PASSED}


def test_every_run_of_a_job_is_found(tmp_path):
    for number in range(3):
        prow(tmp_path / "logs" / "job" / str(number), finished={"passed": True})
    runs = list(runs_at(tmp_path / "logs", Given()))
    assert [run.build for run in runs] == ["0", "1", "2"]


NODES = {
    "items": [
        {"status": {"nodeInfo": {"operatingSystem": "linux", "kubeletVersion": "v1.37.0"}}},
        {
            "status": {
                "nodeInfo": {
                    "operatingSystem": "windows",
                    "kubeletVersion": "v1.37.1",
                    "kernelVersion": "10.0.20348.2582",
                    "containerRuntimeVersion": "containerd://2.2.1",
                }
            }
        },
    ]
}


def tarball(path: Path, members: dict[str, str]):
    with tarfile.open(path, "w:gz") as archive:
        for name, text in members.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return path


def test_a_sonobuoy_tarball_says_what_it_ran_on(tmp_path):
    path = tarball(
        tmp_path / "202611180405_sonobuoy_1.tar.gz",
        {
            "plugins/e2e/results/global/junit_01.xml": junit("a"),
            "plugins/systemd-logs/results/n1/systemd_logs": "{}",
            "resources/cluster/core_v1_nodes.json": json.dumps(NODES),
            "serverversion.json": '{"gitVersion": "v1.37.0"}',
        },
    )
    run = one(path)
    assert (run.job, run.build) == ("sonobuoy", "202611180405_sonobuoy_1")
    assert run.variant == Variant(
        kubernetes="v1.37.1", windows="20348", kb="revision 2582", runtime="containerd 2.2.1"
    )
    assert outcomes(run) == {"a": Outcome.PASSED}


def test_what_the_person_says_wins_over_what_files_say(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(junit())
    run = one(path, job="mine", build="7", started=5, variant=Variant(kb="KB1"))
    assert (run.job, run.build, run.started, run.variant) == ("mine", "7", 5, Variant(kb="KB1"))


def test_a_member_outside_the_archive_writes_nothing(tmp_path):
    inside = tmp_path / "in"
    inside.mkdir()
    path = tarball(
        inside / "x.tar.gz",
        {"../../evil": "x", "/etc/evil": "x", "plugins/e2e/results/junit.xml": junit()},
    )
    one(path)
    assert sorted(item.name for item in tmp_path.rglob("*")) == ["in", "x.tar.gz"]


def test_an_archive_that_unpacks_to_too_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(sonobuoy, "ARCHIVE_BYTES", 1 << 20)
    path = tarball(tmp_path / "bomb.tar.gz", {"plugins/e2e/big": "0" * (2 << 20)})
    with pytest.raises(UsageError, match=r"over [0-9]+ members"):
        one(path)


REFUSED = {
    "damaged.tar.gz": b"\x1f\x8b\x08\x00 not an archive",
    "report.json": b'{"items": []}',
    "deep.json": b"[" * 100_000,
    "half.json": b'[{"SpecReports": [',
    "specs.json": b'[{"SpecReports": [3]}]',
    "junit.xml": b"<testsuite>",
    "junit.xml.gz": b"\x1f\x8b\x08\x00 not gzip",
    "binary.xml": bytes(range(256)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_the_files_error(tmp_path, name):
    (tmp_path / name).write_bytes(REFUSED[name])
    with pytest.raises(UsageError) as error:
        list(runs_at(tmp_path / name, Given()))
    assert name in error.value.subject


def test_a_path_without_results_is_an_error(tmp_path):
    with pytest.raises(UsageError, match="nothing there is a result"):
        list(runs_at(tmp_path, Given()))
    with pytest.raises(UsageError, match="cannot read results"):
        list(runs_at(tmp_path / "absent.xml", Given()))
