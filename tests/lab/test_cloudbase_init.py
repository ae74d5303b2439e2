"""The real cloudbase-init executes a cloud-config in a host: files are written, commands run."""

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from transom_lab.locks import exclusive
from transom_lab.places import cache_directory

_PINS = Path(__file__).parents[1] / "data" / "lab" / "cloudbase-init.txt"
_RUN = r"""
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
_USER_DATA = r"""#cloud-config
write_files:
- path: C:\k\written.txt
  content: written by cloudbase-init
runcmd:
- echo ran> C:\k\ran.txt
- exit 1003
"""


@pytest.fixture(scope="module")
def host(cluster):
    """The first host with cloudbase-init on its drive."""
    found = cluster.lab.host("win1")
    target = found.drive_c / "cloudbase-init"
    shutil.copytree(_packages(), target)
    _write(found, r"C:\k\run.py", _RUN)
    yield found
    shutil.rmtree(target)


def _packages() -> Path:
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


def _write(host: Any, place: str, text: str) -> None:
    scratch = host.directory / "scratch"
    scratch.write_text(text)
    host.put(scratch, place)


def test_a_cloud_config_is_executed(cluster, host):
    """The last command's exit code asks for a reboot, which cloudbase-init passes on."""
    _write(host, r"C:\k\user-data", _USER_DATA)
    answer = cluster.ssh("win1", r"C:\Python\python.exe C:\k\run.py")
    assert answer.code == 0, answer.text
    assert (host.drive_c / "k/written.txt").read_text() == "written by cloudbase-init"
    assert (host.drive_c / "k/ran.txt").read_text().strip() == "ran"
    assert answer.stdout.strip() == "(2, True)", answer.text
