"""What Transom needs to join the lab's hosts: a mirror, a lock, the network's settings, and the flags.

Everything lies below the lab's directory; the cluster gets
only the ConfigMap that Flannel's own manifest would bring.
"""

import json
import shlex
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

from transom.errors import PermanentError
from transom.model.lock import Lock
from transom.recipe.lock_document import write_lock
from transom.recipe.pinnable import artifacts_of
from transom.spec.fleet import read_fleets
from transom_lab.binaries import Binaries
from transom_lab.embedpython import embeddable_zip
from transom_lab.host import WindowsHost
from transom_lab.lab import Lab
from transom_lab.mirror import PORT, SITES, Shelf
from transom_lab.namespaces import Room
from transom_lab.native import build_native
from transom_lab.network import GROUND, POD_SUBNET, SERVICE_SUBNET
from transom_lab.programs import default_version
from transom_lab.progress import Progress
from transom_lab.sshd import USER

_VNI, _PORT = 4096, 4789
_START_S = 60.0


@dataclass(frozen=True)
class LabFleet:
    """The files that were made."""

    fleet: Path
    lock: Path
    python: Path


def prepare_fleet(
    lab: Lab, *, cache: Path, progress: Progress, kubernetes: Sequence[str] = ()
) -> LabFleet:
    """Have the mirror run and the files written; what is there already is made anew.

    The mirror and the lock have the artifacts of every version in `kubernetes`, of which the first
    is the fleet's, and always those of the cluster's own: an upgrade goes from one to the other.
    """
    versions = list(dict.fromkeys([*kubernetes, lab.record.kubernetes]))
    directory = lab.directory / "mirror"
    made = LabFleet(
        fleet=directory / "fleet.yaml",
        lock=directory / "transom.lock",
        python=directory / "python.zip",
    )
    directory.mkdir(exist_ok=True)
    texts = [
        yaml.safe_dump(_document(lab, version), sort_keys=False, width=200) for version in versions
    ]
    made.fleet.write_text(texts[0], encoding="utf-8")
    fleets = [fleet for text in texts for fleet in read_fleets(text.encode(), name=str(made.fleet))]
    shelf = Shelf(
        directory / "files",
        binaries=Binaries(cache=cache, progress=progress),
        parts=build_native(cache, progress.note),
        python=embeddable_zip(cache=cache, progress=progress),
    )
    wanted = {item.key: item.artifact for item in artifacts_of(fleets)}
    with progress.stage("filling the mirror"):
        entries = shelf.put(wanted.values())
    made.lock.write_text(write_lock(Lock(tuple(entries))), encoding="utf-8")
    python = next(item for item in wanted.values() if item.id == "python")
    made.python.unlink(missing_ok=True)
    made.python.hardlink_to(shelf.place(python))
    _serve(lab, directory)
    _tell_network(lab)
    return made


def join_flags(lab: Lab, host: WindowsHost, made: LabFleet) -> list[str]:
    """The arguments of `transom join` for one host."""
    mirrors = (
        word for site, mirror in _mirrors().items() for word in ("--mirror", f"{site}={mirror}")
    )
    return [
        *reset_flags(lab, host),
        *("--lock", str(made.lock), "--python", str(made.python)),
        *mirrors,
    ]


def reset_flags(lab: Lab, host: WindowsHost) -> list[str]:
    """The arguments of `transom reset` for one host, but for the confirmation."""
    return [
        f"{USER}@127.0.0.1:{host.plan.local_port}",
        *("--key", str(lab.key), "--host-key", host.public_key),
        *("--kubeconfig", str(lab.kubeconfig), "--node-ip", host.plan.address),
    ]


def _mirrors() -> dict[str, str]:
    return {site: f"http://{GROUND}:{PORT}/{site.partition('://')[2]}" for site in SITES}


def _document(lab: Lab, kubernetes: str) -> dict[str, object]:
    return {
        "apiVersion": "transom.dev/v1alpha1",
        "kind": "Fleet",
        "metadata": {"name": "lab"},
        "spec": {
            "cluster": {"kubeconfig": str(lab.kubeconfig)},
            "kubernetes": {"version": kubernetes},
            "runtime": {"containerd": {"version": default_version("containerd")}},
            "network": {
                "podCIDRs": [POD_SUBNET],
                "serviceCIDRs": [SERVICE_SUBNET],
                "flannel": {"mode": "overlay", "vni": _VNI, "port": _PORT},
            },
            "source": {"mirrors": _mirrors()},
            "hosts": [_host(lab, host) for host in lab.hosts()],
        },
    }


def _host(lab: Lab, host: WindowsHost) -> dict[str, object]:
    ssh = {
        "host": "127.0.0.1",
        "user": USER,
        "port": host.plan.local_port,
        "hostKey": host.public_key,
        "credential": {"file": str(lab.key)},
    }
    return {
        "name": host.plan.name,
        "address": host.plan.address,
        "windows": {"release": host.plan.windows},
        "connection": {"ssh": ssh},
        "kubelet": {"extraArgs": {"node-ip": host.plan.address}},
    }


def _serve(lab: Lab, directory: Path) -> None:
    ground = Room(lab.directory / "ground")
    if not ground.is_alive("mirror"):
        argv = [
            *(sys.executable, "-m", "transom_lab.mirror"),
            *("--directory", str(directory / "files"), "--address", str(GROUND)),
        ]
        ground.spawn("mirror", argv, log=directory / "mirror.log")
    deadline = time.monotonic() + _START_S
    probe = ["bash", "-c", f"exec 3<>/dev/tcp/{GROUND}/{PORT}"]
    while ground.call(probe, timeout_s=5, check=False).returncode:
        if time.monotonic() > deadline:
            raise PermanentError("the lab's mirror did not start", subject=str(directory))
        time.sleep(0.1)


def _tell_network(lab: Lab) -> None:
    """What Flannel's manifest keeps in the cluster, for the overlay that Windows nodes can share."""
    backend = {"Type": "vxlan", "VNI": _VNI, "Port": _PORT}
    settings = json.dumps({"Network": POD_SUBNET, "Backend": backend})
    documents = [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-flannel"}},
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "kube-flannel-cfg", "namespace": "kube-flannel"},
            "data": {"net-conf.json": settings},
        },
    ]
    text = "\n---\n".join(json.dumps(document) for document in documents)
    lab.kubectl("apply", "-f", "-", stdin=text)


def shell_line(words: Sequence[str]) -> str:
    """Words for a shell: a line for the command, and one for each option with its value."""
    lines: list[list[str]] = [[]]
    for word in words:
        if word.startswith("--"):
            lines.append([])
        lines[-1].append(shlex.quote(word))
    return " \\\n  ".join(" ".join(line) for line in lines)
