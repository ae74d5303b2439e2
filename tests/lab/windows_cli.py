"""The product's own files under CPython for Windows on a host of the lab, with its wheels beside them."""

import shutil
import subprocess
import sys
from pathlib import Path

from transom_lab.host import WindowsHost

ROOT = Path(__file__).parents[2]
PINS = ROOT / "tests" / "data" / "lab" / "cli-on-windows.txt"
FOLDER = r"C:\cli"
COMMAND = (r"C:\Python\python.exe", rf"{FOLDER}\start.py")
_START = r"""
import sys
sys.path.insert(0, r"C:\cli")
from transom.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def bring_cli(host: WindowsHost) -> Path:
    """Put it there; the folder that it is in, as this machine sees it."""
    target = host.drive_c / "cli"
    wheels = ["--platform=win_amd64", "--python-version=3.13", "--only-binary=:all:"]
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", *wheels]
    subprocess.run([*pip, "--target", target, "-r", PINS], check=True, timeout=300)
    shutil.copytree(ROOT / "src" / "transom", target / "transom")
    (target / "start.py").write_text(_START)
    return target
