"""Nodes without hosts: what the API server sees of many kubelets, from one process. For scale tests only.

`python -m transom_lab.lightkubelet` registers Windows Nodes, reports them Ready and renews their leases as
often as a kubelet does. Nothing runs on them: a pod bound to one stays Pending. Everywhere else in the lab
the kubelet is the real one. `start` runs it as a process of a lab, which ends with it.
"""

import argparse
import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from pathlib import Path

import httpx2
from lightkube import ApiError, AsyncClient, KubeConfig
from lightkube.models.coordination_v1 import LeaseSpec
from lightkube.models.core_v1 import NodeAddress, NodeCondition, NodeStatus, NodeSystemInfo
from lightkube.models.meta_v1 import ObjectMeta
from lightkube.resources.coordination_v1 import Lease
from lightkube.resources.core_v1 import Node
from lightkube.resources.core_v1 import NodeStatus as NodeStatusOf
from lightkube.types import PatchType

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

    def status(self, number: int) -> NodeStatus:
        """The status of the n-th node."""
        now = datetime.now(UTC)
        release = windows_release(self.windows)
        address = f"10.78.{number // 250}.{number % 250 + 1}"
        ready = NodeCondition(
            type="Ready",
            status="True",
            reason="LightKubelet",
            message="the lab says so; there is no host",
            lastHeartbeatTime=now,
            lastTransitionTime=now,
        )
        room = {"cpu": "4", "memory": "16Gi", "pods": "110"}
        info = NodeSystemInfo(
            architecture="amd64",
            bootID="",
            containerRuntimeVersion="none://light",
            kernelVersion=f"10.0.{release.build}.{release.ubr}",
            kubeProxyVersion="",
            kubeletVersion=f"v{self.kubernetes}",
            machineID="",
            operatingSystem="windows",
            osImage=release.product,
            systemUUID="",
        )
        return NodeStatus(
            addresses=[NodeAddress(address=address, type="InternalIP")],
            allocatable=room,
            capacity=room,
            conditions=[ready],
            nodeInfo=info,
        )


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


async def serve(client: AsyncClient, count: int, pretence: Pretence) -> None:
    """Register the nodes, then keep them Ready until cancelled."""
    numbered = list(enumerate(names(count)))
    await _each(numbered, lambda number, name: _register(client, number, name, pretence))
    beat = 0
    while True:
        began = asyncio.get_running_loop().time()
        await _each(numbered, lambda _, name: _renew(client, name))
        beat += 1
        if beat % _STATUS_EVERY == 0:
            await _each(numbered, lambda number, name: _report(client, number, name, pretence))
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
            except (ApiError, httpx2.HTTPError) as error:
                sys.stderr.write(f"{name}: {error}\n")

    await asyncio.gather(*(one(number, name) for number, name in numbered))


async def _register(client: AsyncClient, number: int, name: str, pretence: Pretence) -> None:
    labels = {
        "kubernetes.io/os": "windows",
        "kubernetes.io/arch": "amd64",
        "kubernetes.io/hostname": name,
        MARK: "true",
    }
    await _made(client.create(Node(metadata=ObjectMeta(name=name, labels=labels))))
    await _report(client, number, name, pretence)
    spec = LeaseSpec(
        holderIdentity=name, leaseDurationSeconds=_LEASE_S, renewTime=datetime.now(UTC)
    )
    await _made(
        client.create(Lease(metadata=ObjectMeta(name=name, namespace=NAMESPACE), spec=spec))
    )


async def _report(client: AsyncClient, number: int, name: str, pretence: Pretence) -> None:
    body = {"status": pretence.status(number).to_dict()}
    await client.patch(NodeStatusOf, name, body, patch_type=PatchType.MERGE)


async def _renew(client: AsyncClient, name: str) -> None:
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    body = {"spec": {"renewTime": now}}
    await client.patch(Lease, name, body, namespace=NAMESPACE, patch_type=PatchType.MERGE)


async def _made(creating: Awaitable[object]) -> None:
    """Create what may be there from an earlier run."""
    try:
        await creating
    except ApiError as error:
        if error.status.code != HTTPStatus.CONFLICT:
            raise


async def _run(kubeconfig: Path, count: int, pretence: Pretence) -> None:
    client = AsyncClient(config=KubeConfig.from_file(kubeconfig))
    try:
        await serve(client, count, pretence)
    finally:
        await client.close()


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
