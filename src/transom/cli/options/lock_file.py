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
    from transom.recipe.defaults import locked_fleet

    fleets = fleet_file.read(fleet)
    path = locate(fleet, lock)
    kept = load(path)
    return LockedFleets(
        file=str(fleet),
        folder=fleet_file.folder(fleet),
        fleets=tuple(locked_fleet(item, kept) for item in fleets),
        lock_path=path,
        lock=kept,
    )
