"""The door to programs on this machine: started by an argument list, never a shell, ended at a deadline.

What it raises tells only which program it was.
"""

import asyncio
from asyncio import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from transom.errors import TemporaryError


class Ran(NamedTuple):
    """How a program ended, and what it printed."""

    code: int
    stdout: bytes
    stderr: bytes


async def run_program(
    argv: Sequence[str],
    *,
    timeout_s: float,
    cwd: Path | None = None,
    environment: Mapping[str, str] | None = None,
) -> Ran:
    """Run it to its end; OSError where it cannot start, TemporaryError where it takes too long."""
    process = await asyncio.create_subprocess_exec(
        *argv,
        cwd=cwd,
        env=None if environment is None else dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(timeout_s):
            stdout, stderr = await process.communicate()
    except TimeoutError as error:
        message = f"{argv[0]} did not end within {timeout_s:.0f} s"
        raise TemporaryError(message, subject=argv[0]) from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return Ran(process.returncode or 0, stdout, stderr)
