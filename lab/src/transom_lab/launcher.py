r"""launch.exe: the small Windows program through which `exec` and SSH run a command exactly as written.

`host` puts it into C:\Windows\System32; its source says why it is needed.
"""

import hashlib
from pathlib import Path

from transom_lab.locks import exclusive
from transom_lab.processes import failed, run_program
from transom_lab.sources import source

COMPILER = "x86_64-w64-mingw32-gcc"
_TIMEOUT_S = 120.0


def launcher(cache: Path) -> Path:
    """The compiled program; compiled if it is not in the cache."""
    text = source("native") / "launch" / "launch.c"
    digest = hashlib.sha256(text.read_bytes()).hexdigest()[:12]
    target = cache / "launch" / digest / "launch.exe"
    with exclusive(cache / "locks" / f"launch-{digest}.lock", timeout_s=_TIMEOUT_S):
        if not target.is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            fresh = target.with_suffix(".new")
            argv = [COMPILER, "-s", "-O2", "-Wall", "-Werror", "-o", str(fresh), str(text)]
            done = run_program(argv, timeout_s=_TIMEOUT_S, env=None)
            if done.returncode:
                raise failed(argv, done)
            fresh.rename(target)
    return target
