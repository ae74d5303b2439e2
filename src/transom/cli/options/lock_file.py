"""The lock that `--lock` names, else the one beside the fleet."""

from pathlib import Path

from transom.cli.options import fleet_file
from transom.site.locks import NAME, LockedFleets, load, save

__all__ = ["NAME", "load", "locate", "read_locked", "save"]


def locate(fleet: "fleet_file.Files | str", lock: str | None) -> Path:
    """Give the named file, else `transom.lock` beside the fleet; for standard input, right here."""
    return Path(lock) if lock else fleet_file.folder(fleet) / NAME


def read_locked(fleet: "fleet_file.Files | str", lock: str | None) -> LockedFleets:
    """Read the fleets of a file, and their lock."""
    fleets = tuple(fleet_file.read(fleet))
    path = locate(fleet, lock)
    return LockedFleets(
        file=str(fleet),
        folder=fleet_file.folder(fleet),
        fleets=fleets,
        lock_path=path,
        lock=load(path),
    )
