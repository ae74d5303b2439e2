"""Wine itself: where its programs are, and the environment a Windows program starts with."""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from transom.errors import PermanentError

_DEBIAN = "/usr/lib/wine"
WINDOWS_PATH = (
    r"C:\Windows\system32;C:\Windows;C:\Windows\system32\WindowsPowerShell\v1.0;C:\k;C:\Python"
)


@dataclass(frozen=True)
class Wine:
    """The 64-bit loader and its server."""

    loader: Path
    server: Path

    @classmethod
    def find(cls) -> "Wine":
        """Locate the installed Wine."""
        search = os.pathsep.join([_DEBIAN, os.environ.get("PATH", "")])
        loader = shutil.which("wine64", path=search)
        server = shutil.which("wineserver64", path=search) or shutil.which(
            "wineserver", path=search
        )
        if loader is None or server is None:
            raise PermanentError(
                "cannot make a Windows host: wine64 is not installed",
                subject="wine64",
                hint="run lab/setup.sh as root, or see `transom lab doctor`",
            )
        return cls(Path(loader), Path(server))

    def environment(self, prefix: Path) -> dict[str, str]:
        """What every Windows program of the prefix is started with, and nothing else."""
        return {
            "HOME": str(prefix.parent),
            "USER": "Administrator",
            "LANG": "C.UTF-8",
            "WINEARCH": "win64",
            "WINEDEBUG": "-all",
            "WINEPREFIX": str(prefix),
            "WINEPATH": WINDOWS_PATH,
        }
