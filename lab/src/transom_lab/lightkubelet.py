"""Nodes without hosts: what the API server sees of many kubelets, from one process. For scale tests only.

`python -m transom_lab.lightkubelet` registers Windows Nodes, reports them Ready and renews their leases as
often as a kubelet does. Nothing runs on them: a pod bound to one stays Pending. Everywhere else in the lab
the kubelet is the real one. `start` runs it as a process of a lab, which ends with it.
"""

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from transom.errors import TransomError
from transom.kube.client import open_cluster
from transom.kube.door import LEASE, NODE, Door
from transom.kube.errors import AlreadyExists
from transom.model.manifest import ObjectName
from transom_lab.lab import Lab
from transom_lab.namespaces import Enter
from transom_lab.registry import windows_release

MARK = "lab.transom.dev/light-kubelet"
NAMESPACE = "kube-node-lease"

# A kubelet's own figures: leases last 40 s, are renewed every 10 s; status is sent every five minutes.
_LEASE_S = 40
_RENEW_S = 10.0
_STATUS_EVERY = 30
_AT_ONCE = 16


@dataclass(frozen=True)
class Pretence:
    """What the nodes say they are."""

    kubernetes: str
    windows: str

    def status(self, number: int) -> dict[str, Any]:
        """The status of the n-th node."""
        now = _now()
        release = windows_release(self.windows)
        ready = {
            "type": "Ready",
            "status": "True",
            "reason": "LightKubelet",
            "message": "the lab says so; there is no host",
            "lastHeartbeatTime": now,
            "lastTransitionTime": now,
        }
        room = {"cpu": "4", "memory": "16Gi", "pods": "110"}
        nothing = ("bootID", "kubeProxyVersion", "machineID", "systemUUID")
        info = {
            **dict.fromkeys(nothing, ""),
            "architecture": "amd64",
            "containerRuntimeVersion": "none://light",
            "kernelVersion": f"10.0.{release.build}.{release.ubr}",
            "kubeletVersion": f"v{self.kubernetes}",
            "operatingSystem": "windows",
            "osImage": release.product,
        }
        address = f"10.78.{number // 250}.{number % 250 + 1}"
        return {
            "addresses": [{"address": address, "type": "InternalIP"}],
            "allocatable": room,
            "capacity": room,
            "conditions": [ready],
            "nodeInfo": info,
        }


def names(count: int) -> list[str]:
    """What the nodes are called."""
    return [f"light-{number:04d}" for number in range(count)]


def start(lab: Lab, count: int) -> None:
    """Run that many nodes in a lab, in place of those that already run."""
    lab.ground.stop("lightkubelet")
    argv = [
        *(sys.executable, "-m", "transom_lab.lightkubelet"),
        *("--kubeconfig", str(lab.kubeconfig), "--nodes", str(count)),
        *("--kubernetes", lab.record.kubernetes),
    ]
    lab.ground.spawn(
        "lightkubelet", argv, log=lab.directory / "lightkubelet.log", enter=Enter.PROCESSES
    )


async def serve(door: Door, count: int, pretence: Pretence) -> None:
    """Register the nodes, then keep them Ready until cancelled."""
    numbered = list(enumerate(names(count)))
    await _each(numbered, lambda number, name: _register(door, number, name, pretence))
    beat = 0
    while True:
        began = asyncio.get_running_loop().time()
        await _each(numbered, lambda _, name: _renew(door, name))
        beat += 1
        if beat % _STATUS_EVERY == 0:
            await _each(numbered, lambda number, name: _report(door, number, name, pretence))
        took = asyncio.get_running_loop().time() - began
        await asyncio.sleep(max(0.0, _RENEW_S - took))


async def _each(
    numbered: Iterable[tuple[int, str]], do: Callable[[int, str], Awaitable[None]]
) -> None:
    """Do it for all, a few at a time; a server that is away is asked again at the next beat."""
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(number: int, name: str) -> None:
        async with gate:
            try:
                await do(number, name)
            except TransomError as error:
                sys.stderr.write(f"{name}: {error}\n")

    await asyncio.gather(*(one(number, name) for number, name in numbered))


async def _register(door: Door, number: int, name: str, pretence: Pretence) -> None:
    labels = {
        "kubernetes.io/os": "windows",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        MARK: "true",
    }
    node = {"apiVersion": NODE.api_version, "kind": NODE.kind}
    await _made(door, {**node, "metadata": {"name": name, "labels": labels}})
    await _report(door, number, name, pretence)
    lease = {"apiVersion": LEASE.api_version, "kind": LEASE.kind}
    spec = {"holderIdentity": name, "leaseDurationSeconds": _LEASE_S, "renewTime": _precisely()}
    await _made(door, {**lease, "metadata": {"name": name, "namespace": NAMESPACE}, "spec": spec})


async def _report(door: Door, number: int, name: str, pretence: Pretence) -> None:
    node = ObjectName(NODE.api_version, NODE.kind, "", name)
    await door.patch(node, {"status": pretence.status(number)}, subresource="status")


async def _renew(door: Door, name: str) -> None:
    lease = ObjectName(LEASE.api_version, LEASE.kind, NAMESPACE, name)
    await door.patch(lease, {"spec": {"renewTime": _precisely()}})


async def _made(door: Door, manifest: dict[str, Any]) -> None:
    """Create what may be there from an earlier run."""
    with suppress(AlreadyExists):
        await door.create(manifest)


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _precisely() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


async def _run(kubeconfig: Path, count: int, pretence: Pretence) -> None:
    api = open_cluster(kubeconfig)
    try:
        await serve(api.door, count, pretence)
    finally:
        await api.close()


def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser(prog="python -m transom_lab.lightkubelet")
    parser.add_argument("--kubeconfig", type=Path, required=True)
    parser.add_argument("--nodes", type=int, required=True)
    parser.add_argument("--kubernetes", required=True)
    parser.add_argument("--windows", default="2022")
    args = parser.parse_args()
    asyncio.run(_run(args.kubeconfig, args.nodes, Pretence(args.kubernetes, args.windows)))


if __name__ == "__main__":
    main()
