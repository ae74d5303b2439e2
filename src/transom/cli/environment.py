"""Reads the environment: once a command, and nowhere else in the program."""

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from transom.site.environment import Environment


def environment() -> Environment:
    """Read what this machine and its user bring to a run."""
    variables: Mapping[str, str] = dict(os.environ)  # noqa: TID251 - the one place that reads it
    try:
        home = Path.home()
    except RuntimeError:  # a user id that this machine does not know, as in some containers
        home = Path("/")
    return Environment(
        variables=variables,
        home=home,
        data=_data(variables, home),
        can_ask=sys.stdin is not None and sys.stdin.isatty(),
    )


def _data(variables: Mapping[str, str], home: Path) -> Path:
    """Give the folder in which this system keeps what programs store for a user."""
    if sys.platform == "win32":
        folder = Path(variables.get("LOCALAPPDATA") or home / "AppData" / "Local")
    elif sys.platform == "darwin":
        folder = home / "Library" / "Application Support"
    else:
        folder = Path(variables.get("XDG_DATA_HOME") or home / ".local" / "share")
    return folder
