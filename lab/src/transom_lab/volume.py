"""A host's drive C on a file system of limited size, so that a full disk is a real one.

What is there stays below; what the host writes from then on goes to a memory file system of the size
asked for (an overlay, mounted in the host's room only). Programs get the machine's own ENOSPC, which Wine
makes ERROR_DISK_FULL, and read the true free space. Called by `faults`, on a host that is shut down.
"""

import shutil
from pathlib import Path

from transom_lab.namespaces import Room

_TIMEOUT_S = 120.0


def is_limited(room: Room, drive: Path) -> bool:
    """Whether the drive lies on a file system of its own."""
    try:
        mounts = Path(f"/proc/{room.init_pid}/mounts").read_text(encoding="utf-8")
    except OSError:
        return False
    return f"overlay {drive} overlay " in mounts


def limit(room: Room, drive: Path, *, mib: int) -> None:
    """From now on the drive takes this much more, and nothing beyond."""
    volume = _folder(drive)
    volume.mkdir(exist_ok=True)
    room.call(
        ["mount", "-t", "tmpfs", "-o", f"size={mib}m", "volume", str(volume)], timeout_s=_TIMEOUT_S
    )
    room.call(["mkdir", str(volume / "upper"), str(volume / "work")], timeout_s=_TIMEOUT_S)
    places = f"lowerdir={drive},upperdir={volume / 'upper'},workdir={volume / 'work'}"
    room.call(
        ["mount", "-t", "overlay", "-o", f"{places},redirect_dir=on", "overlay", str(drive)],
        timeout_s=_TIMEOUT_S,
    )


def release(room: Room, drive: Path) -> None:
    """Put everything the drive has onto the machine's file system again."""
    whole = drive.with_name(f"{drive.name}.new")
    shutil.rmtree(whole, ignore_errors=True)
    room.call(["cp", "-a", "--reflink=auto", str(drive), str(whole)], timeout_s=_TIMEOUT_S)
    for place in (drive, _folder(drive)):
        room.call(["umount", str(place)], timeout_s=_TIMEOUT_S)
    shutil.rmtree(drive)
    whole.rename(drive)


def _folder(drive: Path) -> Path:
    """Where the memory file system is mounted: beside the prefix."""
    return drive.parents[1] / "volume"
