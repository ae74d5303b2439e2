r"""The node program on a bare host, without the command line: brought there, and given a recipe that fits the lab.

Of a recipe the lab replaces what it cannot run: the runtime is the stand-in, the kubelet runs without
kube-log-runner, and of the programs only kubeadm and kubelet come, from `C:\bundle`.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import transom
from transom.model.recipe import Artifact, Recipe
from transom.node.packaging.build import build_node_zip
from transom.node.supervise.kubelet import ADDRESS
from transom_lab.binaries import Binaries
from transom_lab.host import WindowsHost
from transom_lab.places import cache_directory
from transom_lab.programs import Goos, program
from transom_lab.progress import Progress

NODE = (r"C:\Python\python.exe", r"C:\k\transom\node.pyz")
_RUNTIME = r"C:\Program Files\containerd\containerd-standin.exe"
_PROGRAMS = ("kubeadm", "kubelet")


def bring_program(host: WindowsHost) -> None:
    """Put the node program of this checkout where Transom does."""
    home = host.drive_c / "k" / "transom"
    home.mkdir(parents=True, exist_ok=True)
    (home / "node.pyz").write_bytes(build_node_zip(Path(transom.__file__).parent))
    host.run([*NODE, "compile"])


def fit_recipe(golden: Recipe, host: WindowsHost, *, kubernetes: str) -> Recipe:
    """A recipe of a Flannel overlay for one host of the lab, with programs of that version."""
    name, address = host.plan.name, host.plan.address
    containerd, kubelet = golden.services
    pods = f"10.244.{address.rsplit('.', 1)[1]}.0/24"
    program_at = kubelet.command.index(NODE[1])
    words = (*NODE, *kubelet.command[program_at + 1 :])
    return replace(
        golden,
        target=replace(golden.target, kubernetes=kubernetes),
        artifacts=tuple(_artifacts(golden, host, kubernetes)),
        services=(
            replace(containerd, command=(_RUNTIME, "-service", "-cidr", pods)),
            replace(kubelet, command=tuple(_of_host(word, address) for word in words)),
        ),
        join=replace(golden.join, node_name=name),
        identity=replace(golden.identity, name=name, address=address),
    )


def _of_host(word: str, address: str) -> str:
    return ADDRESS + address if word.startswith(ADDRESS) else word


def _artifacts(golden: Recipe, host: WindowsHost, kubernetes: str) -> Iterator[Artifact]:
    for name in _PROGRAMS:
        wanted = program(name, Goos.WINDOWS, kubernetes)
        file = Binaries(cache=cache_directory(), progress=Progress()).fetch([wanted])[wanted]
        place = rf"C:\bundle\{kubernetes}\{name}.exe"
        host.put(file, place)
        artifact = next(item for item in golden.artifacts if item.id == name)
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        yield replace(artifact, version=kubernetes, file=place, sha256=digest)
