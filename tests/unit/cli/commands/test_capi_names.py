"""`transom capi names`: what it prints, and when it fails."""

import json

import pytest

from transom.cli.main import main


@pytest.fixture
def names(capsys):
    def run(*arguments):
        code = main(["capi", "names", *arguments])
        return code, *capsys.readouterr()

    return run


def test_names_that_agree_end_well(names):
    code, out, _ = names("--cluster", "shop", "quick-start-md-win-abcde", "web-1")
    assert code == 0
    assert out.splitlines() == [
        "MACHINE                        COMPUTER         NODE",
        "shop/quick-start-md-win-abcde  quick-sta-abcde  quick-sta-abcde",
        "shop/web-1                     web-1            web-1",
    ]


def test_a_collision_is_told_and_fails(names):
    code, out, _ = names("--pools", "a/prod-blue-mp-win", "b/prod-green-mp-win")
    assert code == 1
    assert "collision: win-p-win is the name of a/prod-blue-mp-win and b/prod-green-mp-win" in out


def test_what_cloudbase_init_would_cut_disagrees(names):
    code, out, _ = names("--rule", "none", "quick-start-md-win-abcde")
    assert code == 1
    assert "problem: the metadata says quick-start-md-win-abcde and the computer is" in out


def test_the_report_has_everything(names):
    code, out, _ = names("-o", "json", "--aks", "windows")
    document = json.loads(out)
    assert code == 1
    assert document["kind"] == "NameReport"
    assert len(document["names"][0]["problems"]) == 2


def test_the_older_rule_needs_a_cluster(names):
    code, _, complaint = names("--rule", "seed", "quick-start-md-win-abcde")
    assert code == 2
    assert "--cluster" in complaint
