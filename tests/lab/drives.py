"""A host as it was once, to begin from again: its drive, its registry and its HNS, kept aside.

Booting a host that has joined is much quicker than joining one.
"""

import shutil
from collections.abc import Sequence
from pathlib import Path

from transom_lab.faults import Faults
from transom_lab.host import WindowsHost
from transom_lab.lab import Lab
from transom_lab.prefix import share

# Only ever replaced, never written into: shared with what is kept.
_PROGRAMS = {".dll", ".drv", ".exe", ".nls", ".ocx", ".sys"}


class Drive:
    """What one host had on its drive when this was made; it is switched off and on for that."""

    def __init__(self, lab: Lab, name: str) -> None:
        self._lab, self._name = lab, name
        host = self._host
        self._kept = host.directory / "kept"
        host.shut_down()  # writes the registry
        self._copy(host.directory, self._kept)
        host.boot()

    def restore(self) -> None:
        """Switch the host off, give it the drive it had, and boot it."""
        faults = Faults(self._lab)
        faults.cut_power(self._name)
        for name in ("prefix", "hns"):
            shutil.rmtree(self._host.directory / name)
        self._copy(self._kept, self._host.directory)
        faults.restore_power(self._name)

    @property
    def _host(self) -> WindowsHost:
        return self._lab.host(self._name)

    @staticmethod
    def _copy(source: Path, target: Path) -> None:
        for name in ("prefix", "hns"):
            shutil.copytree(
                source / name,
                target / name,
                symlinks=True,
                copy_function=_place,
                ignore=_sockets,
            )


def _sockets(folder: str, names: Sequence[str]) -> list[str]:
    return [name for name in names if Path(folder, name).is_socket()]


def _place(file: str, at: str) -> None:
    shared = Path(file).suffix.lower() in _PROGRAMS
    share(file, at) if shared else shutil.copy2(file, at, follow_symlinks=False)
