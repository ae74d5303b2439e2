"""Write the names of upstream's tests of one minor, as its own e2e.test prints them.

Builds e2e.test from the Go modules that the lab pins for the minor, which takes long and gigabytes of Go's cache. The
program stays in the lab's cache, so that it can be asked again (`e2e.test --ginkgo.dry-run`).
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from transom.facts.e2e_names import FOLDER, listed, packed
from transom_lab.gomodules import find_go
from transom_lab.places import cache_directory

MODULES = Path(__file__).parents[1] / "lab" / "modules"
_PACKAGE = "k8s.io/kubernetes/test/e2e"
_TOOLS = f'//go:build tools\n\npackage lab\n\nimport (\n\t_ "{_PACKAGE}"\n)\n'


def main() -> int:
    """Build, ask, write."""
    (minor,) = sys.argv[1:] or ("",)
    pinned = sorted(MODULES.glob(f"kubernetes-{minor}.*"))
    if not minor or not pinned:
        print(
            f"lab/modules has no kubernetes-{minor}.*: make e2e-lists MINOR=1.37", file=sys.stderr
        )
        return 2
    tests = _tests(pinned[-1])
    if not tests:
        print("e2e.test named no test: has the form of --list-tests changed?", file=sys.stderr)
        return 1
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{minor}.txt.gz"
    path.write_bytes(packed(tests))
    print(f"{path}: {len(tests)} tests of {pinned[-1].name}, {path.stat().st_size >> 10} KiB")
    return 0


def _tests(pinned: Path) -> list[str]:
    folder = cache_directory() / "e2e" / pinned.name
    if not (folder / "e2e.test").exists():
        _build(pinned, folder)
    print(f"asking {folder / 'e2e.test'}", flush=True)
    done = subprocess.run(
        [folder / "e2e.test", "--list-tests"], check=True, capture_output=True, text=True
    )
    return listed(done.stdout)


def _build(pinned: Path, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("go.mod", "go.sum"):
        shutil.copy(pinned / name, folder)
    (folder / "tools.go").write_text(_TOOLS)
    _go(folder, "mod", "tidy")
    # Without -vet=off Go examines every package of Kubernetes as well, which takes longer than compiling them.
    flags = ["-vet=off", "-p=1", "-trimpath", "-buildvcs=false", "-ldflags=-s -w"]
    _go(folder, "test", "-c", *flags, "-o", "e2e.test", _PACKAGE)


def _go(folder: Path, *arguments: str) -> None:
    environment = {**os.environ, "GOFLAGS": "", "GOWORK": "off", "CGO_ENABLED": "0"}
    argv = ["nice", "-n", "15", find_go(), *arguments]
    subprocess.run(argv, check=True, cwd=folder, env=environment)


if __name__ == "__main__":
    sys.exit(main())
