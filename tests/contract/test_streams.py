"""Standard streams as shells leave them: without a reader, full, closed, or of another encoding."""

import json
import os
import signal
import subprocess
import sys

import pytest

COMMANDS = (
    ["--version"],
    ["--help"],
    ["facts"],
    ["facts", "-o", "json"],
    ["facts", "--help"],
    ["facts", "--surprise", "-o", "json"],
    ["schema", "recipe"],
)


@pytest.fixture
def start():
    """Start `transom`, and end it with the test."""
    started = []

    def run(*arguments, unbuffered=False, **streams):
        environ = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
        if unbuffered:
            environ["PYTHONUNBUFFERED"] = "1"
        environ |= streams.pop("environ", {})
        command = [sys.executable, "-m", "transom", *arguments]
        process = subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, **streams)
        started.append(process)
        return process

    yield run
    for process in started:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("unbuffered", [False, True], ids=["buffered", "unbuffered"])
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_output_that_nobody_reads_ends_the_command_in_silence(start, arguments, unbuffered):
    reader, writer = os.pipe()
    os.close(reader)
    process = start(*arguments, unbuffered=unbuffered, stdout=writer)
    os.close(writer)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (141, b"")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has a device that is full")
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_a_full_disk_is_told_and_is_no_defect(start, arguments):
    with open("/dev/full", "wb") as full:  # noqa: PTH123 - a device
        process = start(*arguments, stdout=full)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 5
    assert err.decode() == (
        "error: cannot write standard output\n  why:   [Errno 28] No space left on device\n"
    )


@pytest.mark.skipif(sys.platform == "win32", reason="closes descriptors by number")
@pytest.mark.parametrize(
    ("closed", "arguments", "code"),
    [
        (0, ["recipe", "-f", "-"], 2),
        (1, ["facts"], 0),
        (1, ["facts", "--surprise"], 2),
        (2, ["facts"], 0),
        (2, ["facts", "--surprise"], 2),
    ],
)
def test_a_closed_stream_is_no_defect(start, closed, arguments, code):
    process = start(*arguments, stdout=subprocess.PIPE, preexec_fn=lambda: os.close(closed))
    out, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert b"Traceback" not in out + err


@pytest.mark.skipif(sys.platform == "win32", reason="has no signal for one process alone")
def test_an_interrupt_while_waiting_for_input_is_told_in_a_word(start):
    process = start(
        *("recipe", "-f", "-", "-v"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # A shell without a terminal lets its background jobs ignore the signal, and so their children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    process.stdin.write(b"kind: Fleet\n" * 100_000)  # more than a pipe holds, so it is reading
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, b"", b"interrupted\n")


def test_an_odd_character_is_escaped_where_the_terminal_has_none(start):
    environ = {"PYTHONIOENCODING": "ascii"}
    process = start("explain", "é", "-o", "json", environ=environ, stdout=subprocess.PIPE)
    out, err = process.communicate(timeout=60)
    assert json.loads(out)["query"] == "é"
    assert err == b""
