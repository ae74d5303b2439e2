"""The node program starts real programs: by argument list, in time, without their secrets."""

import os
import subprocess
import sys
import time

import pytest

from transom.errors import PermanentError, TemporaryError
from transom.node.host import processes
from transom.node.host.processes import RealProcesses, leave_process

PYTHON = sys.executable


def test_output_and_exit_code_come_back_with_secrets_masked():
    argv = [PYTHON, "-c", "import sys; print('the token s3cret'); sys.exit(3)"]
    done = RealProcesses().run(argv, timeout_s=30, secrets=("s3cret",))
    assert (done.code, done.output.strip()) == (3, "the token ***")


def test_a_program_that_does_not_end_is_ended_and_its_words_are_kept():
    argv = [PYTHON, "-c", "import time; print('waiting with s3cret', flush=True); time.sleep(60)"]
    with pytest.raises(PermanentError, match=r"did not end within 2 s: waiting with \*\*\*"):
        RealProcesses().run(argv, timeout_s=2, secrets=("s3cret",))


@pytest.mark.filterwarnings(
    "ignore::ResourceWarning"
)  # nobody can close what another process holds
def test_a_program_that_left_another_behind_is_not_waited_for_either(monkeypatch):
    """Which has its output open still, as dism.exe's own helper may."""
    monkeypatch.setattr(processes, "_GRACE_S", 0.5)
    child = "import time; time.sleep(12)"
    script = f"import subprocess, sys, time; subprocess.Popen([sys.executable, '-c', '{child}']); time.sleep(60)"
    began = time.monotonic()
    with pytest.raises(PermanentError, match="did not end within 1 s"):
        RealProcesses().run([PYTHON, "-c", script], timeout_s=1)
    assert time.monotonic() - began < 10


def test_a_program_that_is_not_there_is_an_error():
    with pytest.raises(PermanentError, match="cannot start /no/such"):
        RealProcesses().run(["/no/such"], timeout_s=5)


def test_a_program_that_windows_lost_as_it_began_is_worth_another_try(monkeypatch):
    def lost(*_args, **_more):
        error = OSError("Internal error")
        error.winerror = 1359  # type: ignore[attr-defined]
        raise error

    monkeypatch.setattr(subprocess, "Popen", lost)
    with pytest.raises(TemporaryError, match="cannot start"):
        RealProcesses().run([sys.executable], timeout_s=5)


def test_other_programs_are_found_in_the_directories_given_first():
    argv = [PYTHON, "-c", "import os; print(os.environ['PATH'])"]
    output = RealProcesses().run(argv, timeout_s=30, search=("/first",)).output
    assert output.startswith("/first" + os.pathsep)


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # nobody waits for it: that is the point
def test_a_process_that_is_left_behind_gets_its_payload_on_standard_input(tmp_path):
    """Which it reads whenever it comes to that: nobody waits for it."""
    note, go = tmp_path / "note", tmp_path / "go"
    script = (
        "import pathlib, sys, time; note, go = map(pathlib.Path, sys.argv[1:])\n"
        "while not go.exists(): time.sleep(0.01)\n"
        "note.write_bytes(sys.stdin.buffer.read())"
    )
    payload = b"payload" * 8000
    leave_process([PYTHON, "-c", script, str(note), str(go)], payload)
    go.touch()
    deadline = time.monotonic() + 30
    while not (note.exists() and note.read_bytes() == payload):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with pytest.raises(PermanentError, match="cannot start /no/such"):
        leave_process(["/no/such"], b"")


def test_a_program_that_is_handed_over_to_has_our_streams_and_its_end_is_ours():
    script = (
        "import sys; from transom.node.host.processes import hand_over;"
        "sys.exit(hand_over([sys.executable, '-c', 'import sys; print(1 + 1); sys.exit(7)']))"
    )
    done = subprocess.run([PYTHON, "-c", script], capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout.strip()) == (7, b"2")


def test_a_program_that_is_not_there_is_not_handed_over_to():
    with pytest.raises(PermanentError, match="cannot start"):
        processes.hand_over([r"C:\nowhere\kubelet.exe"])
