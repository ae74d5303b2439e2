"""The lab's directories: one cache for what is built, one directory for everything of each lab.

    cache   $TRANSOM_LAB_CACHE or ~/.cache/transom-lab    binaries, base prefixes; shared, kept by `down`
    labs    $TRANSOM_LAB_HOME or ~/.local/share/transom-lab/NAME    removed by `down`

Read by every command. Neither may be below /tmp: each host gets a /tmp of its own, which would hide them.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

from transom.errors import UsageError

_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,30}[a-z0-9])?")


def cache_directory(environ: Mapping[str, str] = os.environ) -> Path:
    """Name the cache; it may not exist yet."""
    named = environ.get("TRANSOM_LAB_CACHE")
    return _outside_tmp(Path(named) if named else _home(environ) / ".cache" / "transom-lab")


def lab_directory(name: str, environ: Mapping[str, str] = os.environ) -> Path:
    """Name the directory of one lab; it may not exist yet."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"cannot name a lab {name!r}: up to 32 lower-case letters, digits and inner dashes",
            subject=name,
        )
    return labs_directory(environ) / name


def labs_directory(environ: Mapping[str, str] = os.environ) -> Path:
    """Name the directory that holds every lab of this user."""
    named = environ.get("TRANSOM_LAB_HOME")
    fallback = _home(environ) / ".local" / "share" / "transom-lab"
    return _outside_tmp(Path(named) if named else fallback)


def _home(environ: Mapping[str, str]) -> Path:
    return Path(environ.get("HOME") or "/root")


def _outside_tmp(path: Path) -> Path:
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links that do not exist yet
    if absolute.is_relative_to("/tmp"):  # noqa: S108 - this refuses the directory, it does not use it
        raise UsageError(
            f"cannot keep the lab in {absolute}: hosts have a /tmp of their own and would not see it",
            subject=str(absolute),
            hint="set TRANSOM_LAB_HOME and TRANSOM_LAB_CACHE to directories outside /tmp",
        )
    return absolute
