"""Programs on this machine are run to their end or ended at their deadline."""

import asyncio
import os
import sys

import pytest

from transom.errors import TemporaryError
from transom.remote.local_program import run_program


def run(*words, timeout_s=20.0):
    return asyncio.run(run_program((sys.executable, "-c", *words), timeout_s=timeout_s))


def test_gives_the_code_and_both_streams():
    ran = run("import sys; print('out'); sys.stderr.write('err'); sys.exit(3)")
    assert (ran.code, ran.stdout.split(), ran.stderr) == (3, [b"out"], b"err")


def test_ends_what_takes_too_long(tmp_path):
    note = tmp_path / "pid"
    sleep = "import os, sys, time; open(sys.argv[1], 'w').write(str(os.getpid())); time.sleep(60)"
    with pytest.raises(TemporaryError, match="did not end within 3 s"):
        run(sleep, str(note), timeout_s=3)
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text()), 0)


def test_what_is_not_there_cannot_start(tmp_path):
    with pytest.raises(OSError, match="No such file"):
        asyncio.run(run_program([str(tmp_path / "none")], timeout_s=5))
