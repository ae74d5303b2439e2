"""The door to packer, which people install themselves: it judges templates by its own rules.

Called by the command line; it builds nothing here.
"""

import asyncio
import shutil
from asyncio import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from transom.errors import TemporaryError

_TIMEOUT_S = 300.0


def find_packer() -> str | None:
    """Where packer is on the path, if anywhere."""
    return shutil.which("packer")


async def validate(
    program: str, folder: Path, *, arguments: Sequence[str], environment: Mapping[str, str]
) -> str:
    """What packer has against the template in a folder; empty where it has nothing."""
    process = await asyncio.create_subprocess_exec(
        program,
        "validate",
        *arguments,
        ".",
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            output, _ = await process.communicate()
    except TimeoutError as error:
        raise TemporaryError("packer did not answer in time", subject=program) from error
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return "" if process.returncode == 0 else output.decode("utf-8", "replace").strip()
