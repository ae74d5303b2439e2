"""The real cloudbase-init on a host of the lab: its packages by their sums, and how it is run."""

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from transom_lab.locks import exclusive
from transom_lab.places import cache_directory

_PINS = Path(__file__).parents[1] / "data" / "lab" / "cloudbase-init.txt"
RUN = r"""
import os, sys
root = r"C:\cloudbase-init"
libraries = root + r"\pywin32_system32"
sys.path[:0] = [root, root + r"\win32", root + r"\win32\lib"]
os.add_dll_directory(libraries)
os.environ["PATH"] = libraries + ";" + os.environ["PATH"]
from cloudbaseinit.plugins.common.userdata import UserDataPlugin
with open(r"C:\k\user-data", "rb") as file:
    print(UserDataPlugin()._process_user_data(file.read(), None))
"""


def packages() -> Path:
    """The pinned wheels for Windows, unpacked once into the cache."""
    target = (
        cache_directory() / f"cloudbase-init-{hashlib.sha256(_PINS.read_bytes()).hexdigest()[:8]}"
    )
    with exclusive(cache_directory() / "locks" / "cloudbase-init.lock", timeout_s=600):
        if not target.exists():
            with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
                fresh = Path(scratch) / "packages"
                wheels = ["--platform=win_amd64", "--python-version=3.13", "--only-binary=:all:"]
                pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
                subprocess.run([*pip, *wheels, "--target", fresh, "-r", _PINS], check=True)
                fresh.rename(target)
    return target


def write(host: Any, place: str, text: str) -> None:
    scratch = host.directory / "scratch"
    scratch.write_text(text)
    host.put(scratch, place)
