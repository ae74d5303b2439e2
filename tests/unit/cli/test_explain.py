"""`transom explain` tells what, since when, why, what to do and where that is written."""

import json
from textwrap import dedent

from transom.cli.main import main


def test_a_rule_is_told_whole(capsys):
    assert main(["explain", "WIN002"]) == 0
    assert capsys.readouterr().out == dedent("""\
        WIN002  hostIPC on a Windows pod  (rule, error)
          what    Pod: spec.hostIPC
                  matches when: equals true
          since   Kubernetes from 1.23 on; with default gates from 1.24 on
          why     refused by the API server, when spec.os.name is windows; without spec.os.name: not
                  supported
          do      Remove it; share a volume or named pipe instead.
          note    holds with or without a securityContext
          source  kubernetes/kubernetes pkg/apis/core/validation/validation.go#validateWindows (verified,
                  2026-08-22)
        """)


def test_a_flag_that_went_is_told_with_its_range(capsys):
    assert main(["explain", "kubelet-flag-network-plugin"]) == 0
    assert capsys.readouterr().out == dedent("""\
        kubelet-flag-network-plugin  --network-plugin  (kubelet flag)
          since   Kubernetes up to 1.23
          why     cni with dockershim, which alone read it; gone with it.
          do      Remove it from 1.24 on: the kubelet does not start.
          source  kubernetes/kubernetes pkg/kubelet/config/flags.go of each minor from 1.14 (verified,
                  2026-11-16)
        """)


def test_an_error_says_how_sure_the_answer_is(capsys):
    assert main(["explain", "error", "unknown flag: --network-plugin"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("sure: 100% of a known message was found in the text\n")
    assert "failure-unknown-flag" in out


def test_an_answer_as_a_document(capsys):
    assert main(["explain", "gate", "WinDSR", "-o", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["apiVersion"], document["kind"]) == ("transom.dev/v1alpha1", "Explanation")
    (told,) = document["explanations"]
    assert told["since"].startswith("alpha 1.14, beta 1.33, stable 1.34")
    assert told["source"]


def test_the_unknown_is_an_error_of_usage(capsys):
    assert main(["explain", "wave"]) == 2
    assert "did you mean weave" in capsys.readouterr().err


def test_the_unknown_is_an_error_in_json_too(capsys):
    assert main(["explain", "frobnicate", "-o", "json"]) == 2
    assert json.loads(capsys.readouterr().out)["exitCode"] == 2
