"""Programs of the machine, run to their end under a deadline and described when they fail.

Used by every module that runs something; a program that stays is a room's business (`namespaces`).
"""

import shlex
import subprocess
from collections.abc import Mapping, Sequence
from tempfile import TemporaryFile

from transom.errors import PermanentError


def run_program(
    argv: Sequence[str],
    *,
    timeout_s: float,
    env: Mapping[str, str] | None,
    stdin: bytes = b"",
) -> subprocess.CompletedProcess[bytes]:
    """Run to the end under a deadline, in this process's environment unless one is given.

    Output goes to files, not pipes: a service that the program starts would keep a pipe open.
    """
    with TemporaryFile() as given, TemporaryFile() as out, TemporaryFile() as err:
        given.write(stdin)
        given.seek(0)
        child = subprocess.Popen(argv, stdin=given, stdout=out, stderr=err, env=env)
        try:
            code = child.wait(timeout_s)
        except subprocess.TimeoutExpired as error:
            child.kill()
            child.wait()
            raise PermanentError(
                f"{shlex.join(argv)} did not end within {timeout_s:.0f} s", subject=argv[0]
            ) from error
        out.seek(0)
        err.seek(0)
        return subprocess.CompletedProcess(argv, code, out.read(), err.read())


def failed(argv: Sequence[str], done: subprocess.CompletedProcess[bytes]) -> PermanentError:
    """Describe a program that answered with an exit code, with the end of what it said."""
    said = (done.stderr or done.stdout).decode(errors="replace").strip()[-2000:]
    return PermanentError(
        f"{shlex.join(argv)} failed with exit code {done.returncode}: {said}", subject=argv[0]
    )
