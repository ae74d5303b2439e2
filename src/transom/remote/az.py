"""The door to Azure's command line, where it is installed: what is published there now.

Nothing is asked where there is no `az`.
"""

import json
import shutil
from collections.abc import Sequence

from transom.errors import TemporaryError
from transom.remote.local_program import run_program

_TIMEOUT_S = 60.0


def installed() -> str | None:
    """Where the program is, None where it is not installed."""
    return shutil.which("az")


async def published_versions(program: str, arguments: Sequence[str]) -> tuple[str, ...]:
    """The versions that a query of `az` lists, as it lists them; TemporaryError where it cannot."""
    try:
        ran = await run_program((program, *arguments), timeout_s=_TIMEOUT_S)
    except OSError as error:
        raise TemporaryError(f"cannot run az: {error.strerror}", subject=program) from error
    if ran.code != 0:
        lines = ran.stderr.decode(errors="replace").strip().splitlines() or ["it said nothing"]
        raise TemporaryError(f"az ended with {ran.code}: {lines[0]}", subject=program)
    try:
        found = json.loads(ran.stdout)
        return tuple(str(item.get("version") or item["name"]) for item in found)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TemporaryError("az printed no list of images", subject=program) from error
