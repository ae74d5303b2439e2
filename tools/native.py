"""Check the C and Go sources of the lab and of tools: clang-format, gofmt, go vet. Changes nothing; run by `make check`.

clang-format comes with the development tools. Go is not needed to work on the product: where it is missing, what it
would check is left out and said, except when CI=true.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NATIVE = ROOT / "lab" / "native"
# Go modules, and the system each is built for.
MODULES = {
    NATIVE / "cri": "windows",
    NATIVE / "standins": "windows",
    ROOT / "tools" / "kubelet_fields": "linux",
}


def main() -> int:
    """Run every check and say which failed."""
    sources = sorted(str(file) for suffix in ("c", "h") for file in NATIVE.glob(f"*/*.{suffix}"))
    formatter = Path(sys.executable).with_name("clang-format")
    good = run(str(formatter), "--dry-run", "--Werror", *sources)
    go = shutil.which("go")
    if go is None:
        print("Go is not installed: gofmt and go vet are left out")
        return 0 if good and os.environ.get("CI") != "true" else 1
    unformatted = subprocess.run(
        [str(Path(go).with_name("gofmt")), "-l", *map(str, MODULES)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    if unformatted:
        print(f"gofmt would change:\n{unformatted}", end="")
    vetted = [
        run(go, "-C", str(folder), "vet", "./...", GOOS=system, GOFLAGS="-mod=readonly")
        for folder, system in MODULES.items()
    ]
    return 0 if good and all(vetted) and not unformatted else 1


def run(*argv: str, **environment: str) -> bool:
    """Run a tool that speaks for itself."""
    return subprocess.run(argv, env={**os.environ, **environment}, check=False).returncode == 0


if __name__ == "__main__":
    sys.exit(main())
