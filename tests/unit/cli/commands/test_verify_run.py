"""`transom verify run` as a person meets it."""

import json

import pytest
from tests.support.windows_cluster import WindowsCluster

from transom.cli.main import main
from transom.cli.options import cluster_access
from transom.documents.verify import VerifyPlan, VerifyResult
from transom.kube.api import Api
from transom.model.codec import decode


@pytest.fixture
def verified(monkeypatch, capsys):
    def run(*options, faults=()):
        cluster = WindowsCluster(*faults)
        monkeypatch.setattr(cluster_access, "open_api", lambda *_: Api(cluster))
        code = main(["verify", "run", "--node", "win1", *options])
        return code, *capsys.readouterr(), cluster

    return run


CHECKS = ("--check", "exec", "--check", "node-reserves", "--check", "reboot")


def test_text_has_each_outcome_with_its_reason_and_the_counts(verified):
    code, out, _, _ = verified(*CHECKS, faults=["no-reserves"])
    assert code == 1
    assert "passed   win1  [workload] exec" in out
    assert "failed   win1  [readiness] node-reserves" in out
    assert "--disruptive runs it" in out
    assert out.splitlines()[-1] == "1 failed, 1 passed, 1 not-run"


def test_json_is_the_declared_document(verified):
    code, out, _, _ = verified(*CHECKS, "-o", "json")
    found = decode(VerifyResult, json.loads(out))
    assert code == 0
    assert [item.check for item in found.results] == ["node-reserves", "exec", "reboot"]


def test_a_dry_run_prints_the_list_and_creates_nothing(verified):
    code, out, _, cluster = verified("--dry-run")
    assert code == 0
    assert "creates: Namespace, Secret words, Pod shell (registry.k8s.io/" in out
    assert "38 checks would run, 4 would not" in out
    assert cluster.writes == 0
    _, out, _, _ = verified("--dry-run", "-o", "json")
    assert len(decode(VerifyPlan, json.loads(out)).checks) == 42


def test_results_are_written_and_kept(verified, tmp_path, capsys):
    file, store = tmp_path / "new" / "junit.xml", tmp_path / "results.db"
    code, out, _, _ = verified(*CHECKS, "--out", str(file), "--store", str(store))
    assert code == 0
    assert "1 not-run" in out
    assert '<skipped message="it disrupts the node' in file.read_text("utf-8")
    assert main(["verify", "grid", "--store", str(store), "-o", "json"]) == 0
    tab = json.loads(capsys.readouterr().out)["tabs"][0]
    assert tab["on"]["windows"] == "20348"
    assert tab["counts"]["PASS"] == 2


def test_nothing_proven_is_no_success(verified):
    code, _, err, _ = verified("--check", "reboot")
    assert code == 5
    assert "nothing is proven" in err


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--check", "nonsense"), "there is no check nonsense"),
        (("--parallel", "0"), "--parallel is 1 to 32"),
        (("--node", "lin1"), "lin1 is no Windows node"),
        (("--image", "x"), "names no image of a check"),
        (("--bucket", "s3://results"), "AWS_ACCESS_KEY_ID"),
    ],
)
def test_mistakes_are_said_before_anything_is_created(verified, monkeypatch, options, told):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID", raising=False)
    code, _, err, cluster = verified(*options)
    assert code == 2
    assert told in err
    assert cluster.writes == 0
