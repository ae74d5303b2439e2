"""The same story on the lab: a real control plane, two Windows hosts, real kubeadm.exe and kubelet.exe.

Run by `make demo LAB=1` after the first tour. Needs Linux, root and what `lab/setup.sh` installs;
the first time it builds the upstream programs, which takes minutes.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

from transom_lab.lab import Lab
from transom_lab.places import cache_directory, lab_directory
from transom_lab.progress import Progress

NAME = "demo"
_OLD = "1.36.4"
_PYTHON = ("--python", "python.zip")


def say(text: str) -> None:
    """A heading of the story."""
    print(f"\n# {text}", flush=True)


def transom(*words: str, codes: tuple[int, ...] = (0,)) -> None:
    """Run transom where everybody sees it; stop the story where it ends otherwise."""
    print(f"$ transom {shlex.join(words)}", flush=True)
    done = subprocess.run(
        [sys.executable, "-m", "transom", *words], stdin=subprocess.DEVNULL, check=False
    )
    if done.returncode not in codes:
        sys.exit(f"that should have ended with {codes}, not {done.returncode}")
    if done.returncode:
        print(f"(exit code {done.returncode})", flush=True)


def main() -> int:
    """The story; the lab is taken down whatever happens."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="transom-demo-") as folder:
        os.chdir(folder)
        try:
            _story()
        finally:
            os.chdir("/")
            transom("lab", "down", "--name", NAME)
    print(
        f"\n{time.monotonic() - began:.0f} s on the lab: real control plane, kubeadm.exe, kubelet.exe"
    )
    return 0


def _story() -> None:
    say("A control plane and two bare Windows hosts on this machine")
    transom("lab", "up", "--name", NAME, "--hosts", "2", "--bare")
    transom("lab", "fleet", "--name", NAME, "--kubernetes", _OLD)
    lab = Lab(lab_directory(NAME), cache=cache_directory(), progress=Progress())
    os.environ["KUBECONFIG"] = str(lab.kubeconfig)
    say("A fleet file from the cluster")
    transom("init", "--name", "shop", "--yes", "-f", "first.yaml")
    say(
        "The lab's own has its hosts, keys and mirror; what would be done, and how disruptive it is"
    )
    for file in ("fleet.yaml", "transom.lock", "python.zip"):
        shutil.copy(lab.directory / "mirror" / file, file)
    transom("plan", *_PYTHON, codes=(1,))
    say("Do it")
    transom("apply", "--yes", *_PYTHON)
    transom("status", codes=(0, 1))  # 1 while a pod of the network is still starting
    say("Somebody stops the runtime of a node; the cause has a name, and apply heals it")
    transom("lab", "exec", "--name", NAME, "win1", "--", "sc", "stop", "containerd")
    transom("doctor", "--host", "win1", codes=(1,))
    transom("apply", "--yes", *_PYTHON, codes=(0, 4))
    say("Another version, wave by wave")
    transom("upgrade", "--to", lab.record.kubernetes, "--yes", *_PYTHON)
    transom("lab", "kubectl", "--name", NAME, "get", "nodes", "-o", "wide")
    say("And everything back to what it was")
    transom("reset", "--all", "--yes")


if __name__ == "__main__":
    sys.exit(main())
