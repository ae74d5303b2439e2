"""The door to Azure's command line, where it is installed: what is published there now.

Called by the command line. An argument list, never a shell; nothing is asked where there is no `az`.
"""

import asyncio
import json
import shutil
from asyncio import subprocess
from collections.abc import Sequence

from transom.errors import TemporaryError

_TIMEOUT_S = 60.0


def installed() -> str | None:
    """Where the program is, None where it is not installed."""
    return shutil.which("az")


async def published_versions(program: str, arguments: Sequence[str]) -> tuple[str, ...]:
    """The versions that a query of `az` lists, as it lists them; TemporaryError where it cannot."""
    try:
        process = await asyncio.create_subprocess_exec(
            program,
            *arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
    except OSError as error:
        raise TemporaryError(f"cannot run az: {error.strerror}", subject=program) from error
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            stdout, stderr = await process.communicate()
    except TimeoutError as error:
        raise TemporaryError("az did not answer in time", subject=program) from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    if process.returncode != 0:
        lines = stderr.decode(errors="replace").strip().splitlines() or ["it said nothing"]
        raise TemporaryError(f"az ended with {process.returncode}: {lines[0]}", subject=program)
    try:
        found = json.loads(stdout)
        return tuple(str(item.get("version") or item["name"]) for item in found)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TemporaryError("az printed no list of images", subject=program) from error
