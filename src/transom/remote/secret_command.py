"""The door to programs that print a secret: vaults, password managers, LAPS.

Called by the command line. An argument list, never a shell; what it prints is never shown, and
neither are its arguments, which may say too much.
"""

import asyncio
from asyncio import subprocess

from transom.errors import PermanentError, TemporaryError, UsageError

_TIMEOUT_S = 60.0


async def printed_secret(argv: tuple[str, ...]) -> str:
    """What the program prints, without the line's end."""
    program = argv[0]
    try:
        process = await asyncio.create_subprocess_exec(
            *argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    except OSError as error:
        raise UsageError(f"cannot run {program} for a credential", subject=program) from error
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            stdout, _ = await process.communicate()
    except TimeoutError as error:
        raise TemporaryError(f"{program} printed no credential in time", subject=program) from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    text = stdout.decode("utf-8", "replace").rstrip("\r\n")
    if process.returncode != 0 or not text:
        raise PermanentError(
            f"{program} ended with {process.returncode} and printed "
            f"{'something' if text else 'nothing'} as a credential",
            subject=program,
            hint="run it by hand to see why",
        )
    return text
