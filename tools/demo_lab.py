"""The tour with the lab: a bare Windows host joined by the real kubeadm.exe, and put back.

Run by `make demo LAB=1` after the first tour. Needs Linux, root and what `lab/setup.sh` installs;
the first time it builds the upstream programs, which takes minutes.
"""

import shlex
import subprocess
import sys

NAME = "demo"


def transom(*words: str, show: str = "") -> str:
    """Run transom, its progress visible; print and return what it answers."""
    print(f"$ transom {show or shlex.join(words)}", flush=True)
    done = subprocess.run(
        [sys.executable, "-m", "transom", *words],
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        check=True,
    )
    print(done.stdout, flush=True)
    return done.stdout


def main() -> int:
    """Up, join, look, reset, down."""
    try:
        transom("lab", "up", "--name", NAME, "--hosts", "1", "--bare")
        told = transom("lab", "fleet", "--name", NAME)
        line = shlex.split(told[told.index("transom join") :].replace("\\\n", " "))
        transom(*line[1:], "--reboot", show="join ADDRESS ... --reboot (as printed above)")
        transom("lab", "kubectl", "--name", NAME, "get", "nodes", "-o", "wide")
        undo = _without(line[2:], {"--lock", "--python", "--mirror"})
        transom("reset", *undo, "--yes", show="reset ADDRESS ... --yes")
    finally:
        transom("lab", "down", "--name", NAME)
    return 0


def _without(words: list[str], options: set[str]) -> list[str]:
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        if word in options:
            next(rest)
        else:
            kept.append(word)
    return kept


if __name__ == "__main__":
    sys.exit(main())
