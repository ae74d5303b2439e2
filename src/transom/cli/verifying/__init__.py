"""The actions of `transom verify`, one module each."""

import os
import sys
from pathlib import Path


def store_path(named: str) -> Path:
    """The store that was named, or the one in the user's data folder."""
    if named:
        return Path(named).expanduser()
    environ = os.environ  # noqa: TID251 - the command line is where the environment is read
    if sys.platform == "win32":
        base = environ.get("LOCALAPPDATA") or str(Path.home() / "AppData" / "Local")
    elif sys.platform == "darwin":
        base = str(Path.home() / "Library" / "Application Support")
    else:
        base = environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base, "transom", "results.db")
