"""`transom explain` tells what, since when, why, what to do and where that is written."""

import io
import json
from textwrap import dedent

import pytest

from transom.cli.main import main
from transom.node.doctor.causes import DIAGNOSES
from transom.node.steps import STEPS


@pytest.fixture
def paste(monkeypatch):
    """Pipe a text into the command."""

    def put(text):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(text.encode())))

    return put


def test_a_rule_is_told_whole(capsys):
    assert main(["explain", "WIN002"]) == 0
    assert capsys.readouterr().out == dedent("""\
        WIN002  hostIPC on a Windows pod  (rule, error)
          what    Pod: spec.hostIPC
                  matches when: equals true
          since   Kubernetes from 1.14 on; enforced from 1.24 on
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


def test_an_error_says_how_sure_the_answer_is_and_by_which_line(capsys):
    assert main(["explain", "error", "E01 unknown flag: --network-plugin"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("sure: E01 unknown flag: --network-plugin\nfailure-unknown-flag  ")


def test_a_code_is_explained(capsys):
    assert main(["explain", "0xc0370106"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("code-0xc0370106  HCS_E_UNEXPECTED_EXIT  (HCS code)\n")
    assert "  look    " in out


def test_a_pasted_log_is_read_from_standard_input(paste, capsys):
    paste("x\n  hcnCreateNetwork failed in Win32: A network with this name already exists.\ny\n")
    assert main(["explain"]) == 0
    assert "failure-hns-network-exists" in capsys.readouterr().out


def test_a_dash_reads_standard_input_too(paste, capsys):
    paste("Exit Code: -1073741819\n")
    assert main(["explain", "-"]) == 0
    assert "STATUS_ACCESS_VIOLATION" in capsys.readouterr().out


def test_empty_standard_input_is_an_error_of_usage(paste, capsys):
    paste(" \n")
    assert main(["explain"]) == 2
    assert "standard input is empty" in capsys.readouterr().err


def test_nothing_to_explain_at_a_terminal_is_an_error_of_usage(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    assert main(["explain"]) == 2
    assert "nothing to explain was named" in capsys.readouterr().err


def test_a_message_that_is_not_known_says_so_with_what_is_near(capsys):
    line = "the frobnicator: hcnFrobnicate failed, kubelet flag is odd: Access is denied. (0x5)"
    assert main(["explain", "error", line]) == 1
    out = capsys.readouterr().out
    assert out.startswith("not known\n  code    0x5 ERROR_ACCESS_DENIED: Access is denied.\n")
    assert "likely" not in out


@pytest.mark.parametrize("name", [*(cause.id for cause in DIAGNOSES), *(step.id for step in STEPS)])
def test_every_cause_of_the_doctor_and_every_step_is_explained(name, capsys):
    assert main(["explain", name]) == 0
    assert capsys.readouterr().out.startswith(f"{name}  ")


def test_an_answer_as_a_document(capsys):
    assert main(["explain", "gate", "WinDSR", "-o", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["apiVersion"], document["kind"]) == (
        "output.transom.dev/v1alpha1",
        "Explanation",
    )
    (told,) = document["explanations"]
    assert told["since"].startswith("alpha 1.14, beta 1.33, stable 1.34")
    assert told["source"]


def test_the_unknown_is_said_with_the_nearest(capsys):
    assert main(["explain", "wave"]) == 1
    assert "transom explain weave" in capsys.readouterr().out


def test_the_unknown_is_a_document_too(capsys):
    assert main(["explain", "frobnicate", "-o", "json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["explanations"], document["sureness"]) == ([], "")
