"""Python as a program of a simulated host: it really runs the script it is given, in the host's time."""

import contextlib
import io
import sys
from unittest.mock import patch

from transom.node.host.values import Completed

PYTHON = r"C:\k\transom\python\python.exe"


def install(host):
    """Have it on the host, as every visit brings it."""
    host.files.make_directory(PYTHON.rpartition("\\")[0])
    host.files.write(PYTHON, b"MZ python")
    host.programs["python.exe"] = _run


def _run(host, argv):
    script = argv[argv.index("-c") + 1]
    stdin, variables = host.processes.given
    said = io.StringIO()
    with (
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
        patch("sys.stdin", io.StringIO(stdin.decode())),
        patch.dict("os.environ", variables),
        patch("time.sleep", host.clock.sleep),
    ):
        try:
            exec(script, {})  # noqa: S102 - the contract's own scripts
            code = 0
        except SystemExit as end:
            code = _code(end.code)
    return Completed(code=code, output=said.getvalue())


def _code(found):
    if isinstance(found, str):
        sys.stderr.write(found)
        return 1
    return found or 0
