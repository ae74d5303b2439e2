"""`transom facts` prints what the facts say, for people and for programs."""

import json

import pytest

from transom.cli.main import main


def test_the_matrix_fits_a_hundred_columns(capsys):
    assert main(["facts"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 100
    assert "1.36-1.37" in out
    assert out.splitlines()[0].split()[:2] == ["KUBERNETES", "STAGE"]


def test_the_matrix_as_a_document(capsys):
    assert main(["facts", "-o", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["apiVersion"], document["kind"]) == (
        "output.transom.dev/v1alpha1",
        "FactsMatrix",
    )
    newest = document["minors"][0]
    assert (newest["last"], newest["pauseImage"]) == ("1.37", "registry.k8s.io/pause:3.10.2")
    assert [release["release"] for release in newest["releases"]] == ["2022", "2025"]


def test_a_pair_shows_what_holds_for_it_and_nothing_else(capsys):
    assert main(["facts", "--kubernetes", "1.37", "--windows", "2022"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("Kubernetes 1.37, Windows Server 2022: supported\n")
    assert "  WIN024  " in out
    assert "WinDSR  (stable, locked on): " in out
    for absent in ("kubelet-flag-network-plugin", "KB4489899", "SidecarContainers", "WIN160"):
        assert absent not in out


def test_an_unsupported_pair_says_what_the_minor_runs_on(capsys):
    assert main(["facts", "--kubernetes", "1.37", "--windows", "ltsc2019"]) == 0
    first = capsys.readouterr().out.splitlines()[0]
    assert first.endswith("not supported; this minor runs on 2022, 2025")


def test_a_pair_as_a_document(capsys):
    assert main(["facts", "--kubernetes", "1.30", "--windows", "17763", "-o", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["kind"] == "Facts"
    assert document["windows"] == "2019"
    assert document["supported"] is True
    facts = [fact["id"] for group in document["groups"] for fact in group["facts"]]
    assert "kubelet-cgroupsPerQOS" in facts
    assert "kubelet-cgroupsPerQOS-2" not in facts


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--kubernetes", "new"], 2),
        (["--kubernetes", ""], 2),
        (["--windows", ""], 2),
        (["--containerd", "two"], 2),
        (["--windows", "2023"], 2),
        (["--kubernetes", "1.99"], 3),
    ],
)
def test_what_is_not_covered_is_refused(arguments, code, capsys):
    assert main(["facts", *arguments]) == code
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "next:" in captured.err
