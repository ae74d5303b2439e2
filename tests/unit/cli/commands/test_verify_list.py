"""`transom verify list` as a person meets it."""

import json
from pathlib import Path

import pytest

from transom.cli.main import main
from transom.facts import e2e_names

TESTS = [
    "[sig-apps] CronJob should replace jobs [Conformance]",
    "[sig-node] Pods should run [NodeConformance] [LinuxOnly]",
    "[sig-windows] Services answer",
]
FLEETS = Path(__file__).parents[3] / "data" / "fleets"


@pytest.fixture
def listed(capsys):
    def run(*options):
        code = main(["verify", "list", "--kubernetes", "1.37", *options])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def tests(tmp_path, monkeypatch):
    """A list of the minor's tests: a short one."""
    (tmp_path / "1.37.txt.gz").write_bytes(e2e_names.packed(TESTS))
    monkeypatch.setattr(e2e_names.names, "__defaults__", (tmp_path,))


@pytest.fixture
def no_tests(tmp_path, monkeypatch):
    monkeypatch.setattr(e2e_names.names, "__defaults__", (tmp_path,))


@pytest.mark.usefixtures("tests")
def test_a_job_is_counted_and_its_tests_are_named(listed):
    code, out, _ = listed("--job", "windows")
    assert code == 0
    assert "tests: 2\n" in out
    assert "matches nothing: \\[sig-api-machinery\\].ResourceQuota" in out
    assert out.endswith(f"{TESTS[0]}\n{TESTS[2]}\n")
    assert "\nhydrophone:\n  hydrophone --focus " in out


@pytest.mark.usefixtures("tests")
def test_a_job_as_json(listed):
    code, out, _ = listed("--job", "windows", "--skip", "CronJob", "-o", "json")
    document = json.loads(out)
    (job,) = document["jobs"]
    assert (code, document["kind"], document["kubernetes"]) == (0, "UpstreamTests", "1.37")
    assert (job["tests"], job["names"]) == (1, [TESTS[2]])
    assert job["skip"].endswith("|CronJob")
    assert sorted(job["commands"]) == ["e2e.test", "hydrophone", "sonobuoy"]


@pytest.mark.usefixtures("tests")
def test_a_focus_that_selects_nothing_is_usage(listed):
    code, _, error = listed("--job", "windows", "--focus", "Gone")
    assert (code, "these parts match nothing: Gone" in error) == (2, True)


@pytest.mark.usefixtures("no_tests")
def test_the_list_of_registries_is_made_of_the_fleets_mirror(listed, tmp_path):
    fleet, path = tmp_path / "fleet.yaml", tmp_path / "repo-list.yaml"
    text = (FLEETS / "k137-2022-containerd-services.yaml").read_text()
    mirrored = "registries: [{host: registry.k8s.io, mirrors: [{url: https://registry.corp/k8s}]}]"
    assert "      type: Containerd\n" in text
    fleet.write_text(
        text.replace("type: Containerd\n", f"type: Containerd\n      containerd: {{{mirrored}}}\n")
    )
    code, out, _ = listed("--job", "windows", "-f", str(fleet), "--repo-list", str(path))
    assert (code, "KUBE_TEST_REPO_LIST=repo-list.yaml ginkgo" in out) == (0, True)
    assert "promoterE2eRegistry: registry.corp/k8s/e2e-test-images\n" in path.read_text()


@pytest.mark.usefixtures("no_tests")
def test_a_fleet_that_says_nothing_of_its_runtime_has_no_mirror(listed, tmp_path):
    text = (FLEETS / "k137-2022-containerd-services.yaml").read_text()
    fleet, runtime = (
        tmp_path / "fleet.yaml",
        text[text.index("    runtime:") : text.index("  hosts:")],
    )
    fleet.write_text(text.replace(runtime, ""))
    code, _, error = listed("-f", str(fleet), "--repo-list", str(tmp_path / "r.yaml"))
    assert (code, "there is no mirror" in error) == (2, True)


@pytest.mark.usefixtures("no_tests")
def test_without_a_list_the_number_is_not_known_and_the_commands_are(listed):
    code, out, _ = listed("--job", "windows")
    assert (code, "tests: not known" in out, "sonobuoy run" in out) == (0, True, True)
    code, out, _ = listed()
    assert (code, "windows-serial-slow  " in out) == (0, True)


@pytest.mark.parametrize(
    ("options", "code", "said"),
    [
        (("--job", "x"), 2, "'x' is no job"),
        (("--focus", "x"), 2, "--focus and --skip change one job"),
        (("--job", "windows", "--focus", "a(?=b)"), 2, "Go has no such thing"),
        (("--repo-list", "r.yaml"), 2, "there is no mirror"),
        (("--kubernetes", "x"), 2, "is no version"),
        (("--kubernetes", "1.20"), 3, "no job of SIG Windows is known"),
    ],
)
@pytest.mark.usefixtures("no_tests")
def test_mistakes(listed, options, code, said):
    got, _, error = listed(*options)
    assert (got, said in error) == (code, True)
