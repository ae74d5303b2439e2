r"""The base prefix: a Windows system drive made once and copied for each host.

Kept in the cache by Wine version, native parts and Windows release. Made in a throw-away room, so
that no Wine process outlives it. `Z:` is removed: a Windows program sees nothing of the machine.
"""

import errno
import hashlib
import io
import os
import shutil
import time
import zipfile
from pathlib import Path

from transom_lab.embedpython import VERSION as PYTHON_VERSION
from transom_lab.embedpython import added_module, embeddable_zip, lab_python
from transom_lab.leftovers import note_use, remove_old
from transom_lab.locks import exclusive
from transom_lab.namespaces import Bind, Room
from transom_lab.native import NativeParts
from transom_lab.processes import run_program
from transom_lab.progress import Progress
from transom_lab.registry import WindowsRelease, render_registry
from transom_lab.scratch import lock_file, scratch
from transom_lab.wine import Wine

_BOOT_TIMEOUT_S = 180.0
_LOCK_TIMEOUT_S = 600.0
_LAYOUT = 1
"""Raised when what is put into a prefix changes, so that cached ones are made anew."""

_SHARED = {".dll", ".drv", ".exe", ".nls", ".ocx", ".sys"}
"""What is only ever replaced, never written into; the rest of a prefix is each host's own."""

_DIRECTORIES = ("etc/kubernetes", "k", "run", "var/lib/kubelet", "var/log", "opt/cni/bin")


def base_prefix(
    *, cache: Path, wine: Wine, parts: NativeParts, release: WindowsRelease, progress: Progress
) -> Path:
    """The base prefix for a release; made if it is not in the cache."""
    target = cache / "prefixes" / f"{release.name}-{_digest(wine, parts, release)}"
    lock = lock_file(cache, target)
    with exclusive(lock, timeout_s=_LOCK_TIMEOUT_S):
        if not target.is_dir():
            python = embeddable_zip(cache=cache, progress=progress)
            with (
                progress.stage(f"making the base of Windows Server {release.name}"),
                scratch(target) as folder,
            ):
                made = _make(folder, wine, parts, release)
                _fill(made / "drive_c", parts, python)
                made.rename(target)
            others = target.parent.glob(f"{release.name}-*")
            remove_old(others, locks=lock.parent, now=time.time())
        note_use(target)
    return target


def copy_prefix(base: Path, target: Path) -> None:
    """Copy a base prefix; Wine's own programs and libraries, nine tenths of it, are shared by hard links."""
    windows = base / "drive_c" / "windows"

    def place(file: str, at: str) -> None:
        shared = Path(file).suffix.lower() in _SHARED and Path(file).is_relative_to(windows)
        share(file, at) if shared else shutil.copy2(file, at, follow_symlinks=False)

    shutil.copytree(base, target, symlinks=True, copy_function=place)


def share(file: str, at: str) -> None:
    """Link a file that nobody writes into, or copy it where the file systems differ."""
    try:
        os.link(file, at, follow_symlinks=False)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        shutil.copy2(file, at, follow_symlinks=False)


def _digest(wine: Wine, parts: NativeParts, release: WindowsRelease) -> str:
    version = run_program([str(wine.loader), "--version"], timeout_s=20, env={}).stdout
    # The folder of the parts is named after a digest of their sources.
    module = hashlib.sha256(added_module()).hexdigest()
    text = f"{_LAYOUT} {version!r} {parts.shim.parent.name} {release} {PYTHON_VERSION} {module}"
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _make(folder: Path, wine: Wine, parts: NativeParts, release: WindowsRelease) -> Path:
    prefix = folder / "prefix"
    for name in ("prefix", "run", "tmp"):
        (folder / name).mkdir()
    room = Room(folder / "run")
    room.open(hostname="base", binds=[Bind(folder / "tmp", Path("/tmp"))])  # noqa: S108 - the room's own
    try:
        _boot(room, prefix, wine)
        drive = prefix / "drive_c"
        environment = wine.environment(prefix)
        text = render_registry(parts.registry.read_text(encoding="utf-8"), release, "base")
        (drive / "base.reg").write_text(text, encoding="utf-8", newline="")
        argv = [str(wine.loader), "regedit", "/S", r"C:\base.reg"]
        room.call(argv, timeout_s=_BOOT_TIMEOUT_S, env=environment, cwd=drive)
        (drive / "base.reg").unlink()
        room.call([str(wine.server), "-w"], timeout_s=_BOOT_TIMEOUT_S, env=environment)
    finally:
        room.close()
    (prefix / "dosdevices" / "z:").unlink(missing_ok=True)
    (prefix / "wineserver").unlink(missing_ok=True)  # names the socket of the server that has ended
    return prefix


def _boot(room: Room, prefix: Path, wine: Wine) -> None:
    quiet = {**wine.environment(prefix), "WINEDLLOVERRIDES": "mscoree,mshtml="}
    for command in (["wineboot", "-i"], ["winecfg", "-v", "win10"]):
        room.call([str(wine.loader), *command], timeout_s=_BOOT_TIMEOUT_S, env=quiet, cwd=prefix)


def _fill(drive: Path, parts: NativeParts, python: Path) -> None:
    parts.install(drive)
    for name in _DIRECTORIES:
        (drive / name).mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(io.BytesIO(lab_python(python.read_bytes()))) as archive:
        archive.extractall(drive / "Python")
