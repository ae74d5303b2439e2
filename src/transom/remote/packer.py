"""The door to packer, which people install themselves: it judges templates by its own rules.

It builds nothing here.
"""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

from transom.errors import TemporaryError
from transom.remote.local_program import run_program

_TIMEOUT_S = 300.0


def find_packer() -> str | None:
    """Where packer is on the path, if anywhere."""
    return shutil.which("packer")


async def validate(
    program: str, folder: Path, *, arguments: Sequence[str], environment: Mapping[str, str]
) -> str:
    """What packer has against the template in a folder; empty where it has nothing."""
    argv = (program, "validate", *arguments, ".")
    try:
        ran = await run_program(argv, timeout_s=_TIMEOUT_S, cwd=folder, environment=environment)
    except OSError as error:
        raise TemporaryError(f"cannot run packer: {error.strerror}", subject=program) from error
    said = (ran.stdout + ran.stderr).decode("utf-8", "replace").strip()
    return "" if ran.code == 0 else said or f"it ended with {ran.code} and said nothing"
