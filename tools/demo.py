"""The whole story in seconds, on SIMULATED hosts and a cluster in memory: no root, no network.

Run by `make demo`. Every line that starts with $ is a command that really runs, with the real node
program on each simulated host; `make demo LAB=1` tells it again on a real control plane with kubelet.exe.
"""

import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tests.simulation import Simulation, lock_of  # noqa: E402 - found by the line above

from transom.cli.main import main as transom  # noqa: E402
from transom.cli.options import cluster_access, fleet_access  # noqa: E402
from transom.cli.output.console import paint  # noqa: E402
from transom.kube.api import Node  # noqa: E402
from transom.model.fleet import KubernetesSpec  # noqa: E402
from transom.node.host.values import Completed  # noqa: E402
from transom.recipe.lock_document import write_lock  # noqa: E402

_HOSTS = "name,address,pool\nwin-01,10.0.0.21,web\nwin-02,10.0.0.22,web\nwin-03,10.0.0.23,build\n"
_NEWER = "1.37.2"


def say(text: str) -> None:
    """A heading of the story."""
    print("\n" + paint(f"# {text}", "bold", stream=sys.stdout), flush=True)


def show(*words: str) -> None:
    """Run a command and print what it prints."""
    print(paint(f"$ transom {' '.join(words)}", "green", stream=sys.stdout), flush=True)
    code = transom(words)
    if code:
        print(f"(exit code {code})", flush=True)


def simulate() -> Simulation:
    """Machines for the hosts of the file that `init` wrote, and the doors to them."""
    simulation = Simulation(text=Path("fleet.yaml").read_text("utf-8"))
    newer = replace(simulation.fleet, kubernetes=KubernetesSpec(_NEWER))
    hosts = [machine.host for machine in simulation.machines.values()]
    lock = simulation.lock.with_entries(lock_of([newer], hosts).entries)
    Path("transom.lock").write_text(write_lock(lock), encoding="utf-8")
    return simulation


def main() -> int:
    """The story."""
    began = time.monotonic()
    print(paint("SIMULATED: Windows hosts and cluster are in memory", "yellow", stream=sys.stdout))
    with tempfile.TemporaryDirectory(prefix="transom-demo-") as folder:
        os.chdir(folder)
        Path("hosts.csv").write_text(_HOSTS, encoding="utf-8")
        try:
            _story()
        finally:
            os.chdir(ROOT)
    print(
        f"\n{time.monotonic() - began:.1f} s, all of it simulated; `make demo LAB=1` is the real thing"
    )
    return 0


def _story() -> None:
    say("A fleet file from the cluster and a list of hosts")
    cluster = Simulation(1).api
    cluster.held_nodes["linux"] = Node(name="linux", ready=True, system="linux")
    with mock.patch.object(cluster_access, "open_api", return_value=cluster):
        show("init", "--name", "shop", "--hosts-from", "csv:hosts.csv", "--kubeconfig", "none")
    simulation = simulate()
    with mock.patch.object(fleet_access, "doors_of", return_value=simulation.doors()):
        say("What would be done, host by host, and how disruptive it is")
        show("plan")
        say("Do it; one of the hosts fails, and that is its own matter")
        broken = simulation.machines["win-03"].host
        works = broken.programs["kubeadm.exe"]
        broken.programs["kubeadm.exe"] = lambda _, argv: Completed(
            code=int(argv[1] == "join"), output="[ERROR CRI]: the runtime does not answer"
        )
        show("apply", "--yes")
        broken.programs["kubeadm.exe"] = works
        say("Mended: the same command goes on, and leaves the others alone")
        show("apply", "--yes")
        say("Somebody stops the runtime of a node; the cause has a name, and apply heals it")
        simulation.machines["win-01"].host.services.stop("containerd")
        show("doctor", "--host", "win-01")
        show("apply", "--yes")
        show("status")
        say("Another version, wave by wave")
        simulation.api.server_version = _NEWER
        show("upgrade", "--to", _NEWER, "--yes")
        say("And everything back to what it was")
        show("reset", "--all", "--yes")


if __name__ == "__main__":
    sys.exit(main())
