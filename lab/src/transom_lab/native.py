"""The lab's own Windows programs, compiled from lab/native into the cache.

`build_native` is called before a base prefix is made; `NativeParts.install` puts the programs where
Windows has them. Needs the mingw-w64 cross compiler and Go; fetches Go modules on the first build.
"""

import hashlib
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from transom.errors import PermanentError
from transom_lab.gomodules import find_go
from transom_lab.launcher import COMPILER
from transom_lab.leftovers import note_use, remove_old
from transom_lab.locks import exclusive
from transom_lab.processes import mortal
from transom_lab.scratch import lock_file, scratch
from transom_lab.sources import source

_FLAGS = (
    "-shared",
    "-s",
    "-O2",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wno-unused-parameter",
    "-Wno-cast-function-type",
)
_BUILD_TIMEOUT_S = 1200
_TEMPLATE = "base.reg.in"
_FOLDERS = ("goshim", "hns", "cri", "standins")
_STAND_INS = ("dism", "endservices", "icacls", "netsh", "route", "sc", "shutdown")


@dataclass(frozen=True, slots=True)
class NativeParts:
    """Where the compiled programs are.

    `shim` is loaded by every Go program; `hns_client` is both networking DLLs; `runtime` serves the
    CRI; `stand_ins` is one program that acts by the name it is started under; `registry` is the
    template `registry.render_registry` fills in.
    """

    shim: Path
    hns_client: Path
    runtime: Path
    stand_ins: Path
    registry: Path

    def install(self, drive_c: Path) -> None:
        """Copy every part to its place on a host's drive C."""
        system = drive_c / "windows" / "system32"
        powershell = system / "WindowsPowerShell" / "v1.0"
        programs = drive_c / "Program Files" / "containerd"
        for folder in (powershell, programs):
            folder.mkdir(parents=True, exist_ok=True)
        _place(self.shim, system / "bcryptprimitives.dll")
        _place(self.hns_client, system / "computenetwork.dll")
        _place(self.hns_client, system / "vmcompute.dll")
        _place(self.runtime, programs / "containerd-standin.exe")
        _place(self.stand_ins, powershell / "powershell.exe")
        for name in _STAND_INS:
            _place(self.stand_ins, system / f"{name}.exe")


def build_native(cache: Path, progress: Callable[[str], None]) -> NativeParts:
    """Compile what is not in the cache yet; the same sources give the same folder.

    Raises:
        PermanentError: a compiler is missing, or refused the sources.
    """
    native = source("native")
    folder = cache / "native" / _fingerprint(native)
    with exclusive(lock_file(cache, folder), timeout_s=_BUILD_TIMEOUT_S):
        if not folder.exists():
            _require_compiler()
            with scratch(folder) as made:
                building = made / "out"
                building.mkdir()
                _build(native, building, progress)
                building.rename(folder)
            others = (other for other in folder.parent.iterdir() if other.name[0] != ".")
            remove_old(others, locks=cache / "locks", now=time.time())
        note_use(folder)
    return _parts(folder)


def _parts(folder: Path) -> NativeParts:
    return NativeParts(
        shim=folder / "bcryptprimitives.dll",
        hns_client=folder / "computenetwork.dll",
        runtime=folder / "containerd-standin.exe",
        stand_ins=folder / "standins.exe",
        registry=folder / _TEMPLATE,
    )


def _build(native: Path, out: Path, progress: Callable[[str], None]) -> None:
    parts = _parts(out)
    progress("compile the shim for Go programs")
    _compile(native / "goshim", parts.shim, ("ws2_32", "advapi32", "user32"))
    progress("compile the networking DLLs")
    _compile(native / "hns", parts.hns_client, ("ws2_32", "ole32"))
    build = ("build", "-trimpath", "-ldflags=-s -w", "-o")
    progress("build the container runtime stand-in")
    run_go(native / "cri", *build, str(parts.runtime), ".")
    progress("build the stand-ins for programs Wine lacks")
    run_go(native / "standins", *build, str(parts.stand_ins), ".")
    shutil.copyfile(native / _TEMPLATE, parts.registry)


def _compile(folder: Path, out: Path, libraries: Sequence[str]) -> None:
    sources = sorted(str(file) for file in folder.glob("*.c"))
    linked = [f"-l{name}" for name in libraries]
    _run_tool([COMPILER, *_FLAGS, "-o", str(out), *sources, *linked], folder)


def run_go(module: Path, *arguments: str) -> None:
    """Run the go command in a module of ours, for Windows, exactly as its go.sum pins it."""
    _run_tool([find_go(), *arguments], module)


def _run_tool(command: Sequence[str], folder: Path) -> None:
    """Run a compiler quietly; its output is the error's when it fails."""
    go = {"GOOS": "windows", "GOARCH": "amd64", "CGO_ENABLED": "0", "GOWORK": "off"}
    environment = {**os.environ, **go, "GOFLAGS": "-mod=readonly"}
    done = subprocess.run(
        mortal(command),
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=_BUILD_TIMEOUT_S,
    )
    if done.returncode:
        raise PermanentError(
            f"cannot build {folder.name}: {command[0]} ended with {done.returncode}\n{done.stderr}",
            subject=str(folder),
        )


def _require_compiler() -> None:
    if not shutil.which(COMPILER):
        raise PermanentError(
            f"cannot build the lab's Windows programs: {COMPILER} is not installed",
            subject=COMPILER,
            hint="install the Debian package gcc-mingw-w64-x86-64",
        )


def _fingerprint(native: Path) -> str:
    digest = hashlib.sha256()
    for file in _sources(native):
        content = file.read_bytes()
        digest.update(f"{file.relative_to(native)}\0{len(content)}\0".encode())
        digest.update(content)
    return digest.hexdigest()[:16]


def _sources(native: Path) -> Iterator[Path]:
    """Every file that decides what is built."""
    yield native / _TEMPLATE
    for folder in _FOLDERS:
        for file in sorted((native / folder).rglob("*")):
            if file.is_file() and not file.name.endswith("_test.go"):
                yield file


def _place(file: Path, target: Path) -> None:
    # Wine's own file of that name may be shared with other prefixes: replace, never write into it.
    target.unlink(missing_ok=True)
    shutil.copyfile(file, target)
    target.chmod(0o755)
