"""Why a host does not work: the node program looks at it, with the cluster's own view of its node.

Called by `transom doctor` and, for what goes into an archive, by `collect`. Reads only: on a host that
Transom has never been to, the program is brought for the visit and taken away again. A cluster that
cannot be asked is no reason not to look at the host.
"""

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from transom.errors import InvalidDocument, TransomError
from transom.fleet.program import Bring, NodeProgram
from transom.fleet.run import Connect
from transom.kube.api import Api
from transom.model.codec import decode
from transom.model.finding import Finding
from transom.model.sight import ClusterSight, FlannelSight, Given
from transom.remote.session import Session
from transom.spec.loader import load

_APPROVERS = "system:certificates.k8s.io:certificatesigningrequests:"
_NODE = "system:node:"
_FLANNEL = (("kube-flannel", "kube-flannel-cfg"), ("kube-system", "kube-flannel-cfg"))
_KUBEADM = ("kube-system", "kubeadm-config")
_CLUSTER = "the cluster"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosed:
    """What was found on one host, likeliest first; `unread` says what could not be looked at."""

    host: str
    findings: tuple[Finding, ...]
    unread: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Visit:
    """The node program on a host, what is given to it, and why the cluster is missing in that."""

    session: Session
    program: NodeProgram
    host: str
    given: Given
    unread: Mapping[str, str]


async def diagnose_host(connect: Connect, api: Api | None, *, bring: Bring) -> Diagnosed:
    """Look for every cause on one host."""
    async with visiting(connect, api, bring=bring) as visit:
        document = await visit.program.look("doctor", "-o", "json", given=visit.given)
    unread = {str(item["file"]): str(item["message"]) for item in document["unreadable"]}
    return Diagnosed(
        host=visit.host,
        findings=tuple(decode(Finding, item) for item in document["findings"]),
        unread={**visit.unread, **unread},
    )


@asynccontextmanager
async def visiting(connect: Connect, api: Api | None, *, bring: Bring) -> AsyncIterator[Visit]:
    """Have this version's program on the host for a while, and the cluster's view of its node."""
    session = await connect()
    program = NodeProgram(session)
    try:
        was_there = await program.is_there()
        if was_there:
            await program.refresh()
        else:
            await program.bring(bring())
        try:
            host = str((await program.inventory())["name"]).lower()
            cluster, unread = await _asked(api, host)
            yield Visit(session, program, host, Given(cluster=cluster), unread)
        finally:
            if not was_there:
                await program.remove()
    finally:
        await session.close()


async def read_sight(api: Api, node: str) -> ClusterSight:
    """What the cluster says of a node; settings it does not have are left out."""
    requests = await api.request_sights()
    return ClusterSight(
        time=await api.time(),
        version=await api.version(),
        node=await api.node_sight(node),
        requests=tuple(item for item in requests if item.subject == f"{_NODE}{node}"),
        approvers=await api.bound_to(_APPROVERS),
        flannel=await _flannel(api),
        **await _ranges(api),
    )


async def _asked(api: Api | None, node: str) -> tuple[ClusterSight | None, dict[str, str]]:
    if api is None:
        return None, {_CLUSTER: "there is no kubeconfig"}
    try:
        return await read_sight(api, node), {}
    except TransomError as error:
        return None, {_CLUSTER: error.message}


async def _flannel(api: Api) -> FlannelSight | None:
    for namespace, name in _FLANNEL:
        data = await api.config_map(namespace, name)
        if data is not None:
            return _flannel_sight(data.get("net-conf.json", ""))
    return None


def _flannel_sight(text: str) -> FlannelSight | None:
    try:
        document = json.loads(text)
        backend = dict(document["Backend"])
        return FlannelSight(
            network=str(document.get("Network", "")),
            backend=str(backend.get("Type", "")),
            vni=_number(backend.get("VNI")),
            port=_number(backend.get("Port")),
            mtu=_number(backend.get("MTU")),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


async def _ranges(api: Api) -> dict[str, Any]:
    data = await api.config_map(*_KUBEADM)
    try:
        (found, *_) = load((data or {}).get("ClusterConfiguration", ""), name="kubeadm-config")
        networking = found.value["networking"]
        return {
            "pod_cidrs": _list(networking.get("podSubnet")),
            "service_cidrs": _list(networking.get("serviceSubnet")),
        }
    except (InvalidDocument, ValueError, KeyError, TypeError, AttributeError):
        return {}


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _list(text: object) -> tuple[str, ...]:
    return tuple(part.strip() for part in str(text or "").split(",") if part.strip())
