"""A host's drive C on a file system of limited size, so that a full disk is a real one.

What is there stays below; what the host writes from then on goes to a memory file system of the size
asked for (an overlay, mounted in the host's room only). Programs get the machine's own ENOSPC, which Wine
makes ERROR_DISK_FULL, and read the true free space.
"""

import shutil
from pathlib import Path

from transom_lab.namespaces import Room
from transom_lab.prefix import share

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
    seen = Path(f"/proc/{room.init_pid}/root{drive}")

    def place(file: str, at: str) -> None:
        below = drive / Path(file).relative_to(seen)
        same = below.is_file() and _stamp(below) == _stamp(Path(file))
        share(str(below), at) if same else shutil.copy2(file, at, follow_symlinks=False)

    shutil.copytree(seen, whole, symlinks=True, copy_function=place)
    for mounted in (drive, _folder(drive)):
        room.call(["umount", str(mounted)], timeout_s=_TIMEOUT_S)
    shutil.rmtree(drive)
    whole.rename(drive)


def _stamp(file: Path) -> tuple[int, int]:
    """By which a file that was not written to is known."""
    found = file.lstat()
    return found.st_size, found.st_mtime_ns


def _folder(drive: Path) -> Path:
    """Where the memory file system is mounted: beside the prefix."""
    return drive.parents[1] / "volume"
