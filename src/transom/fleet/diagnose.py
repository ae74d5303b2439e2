"""Why a host does not work: the node program looks at it, with the cluster's own view of its node.

Reads only: on a host that
Transom has never been to, the program is brought for the visit and taken away again. A cluster that
cannot be asked is no reason not to look at the host, nor a host that cannot be reached not to ask the cluster.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Mapping
from contextlib import asynccontextmanager
from dataclasses import field
from typing import Any, TypeVar

from transom.errors import InvalidDocument, PermanentError, TransomError, UsageError
from transom.fleet.on_host.answer import unusable
from transom.fleet.on_host.program import Bring, NodeProgram, present
from transom.fleet.on_host.run import Connect
from transom.kube.api import Api
from transom.model.codec import decode
from transom.model.finding import Finding
from transom.model.records import dataclass
from transom.model.sight import ClusterSight, FlannelSight, Given
from transom.node.doctor.causes import DIAGNOSES
from transom.node.doctor.examination import examine
from transom.node.doctor.observation import Observation
from transom.remote.session import Session
from transom.yamlio.loader import load

T = TypeVar("T")

_APPROVERS = "system:certificates.k8s.io:certificatesigningrequests:"
_NODE = "system:node:"
_FLANNEL = (("kube-flannel", "kube-flannel-cfg"), ("kube-system", "kube-flannel-cfg"))
_KUBEADM = ("kube-system", "kubeadm-config")
_NO_KUBECONFIG = "there is no kubeconfig"
_CLUSTER, _HOST = "the cluster", "the host"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosed:
    """What was found on one host, likeliest first; `unread` says what could not be looked at.

    `error` is why the host itself is among that.
    """

    host: str
    findings: tuple[Finding, ...]
    unread: Mapping[str, str] = field(default_factory=dict)
    error: TransomError | None = None


@dataclass(frozen=True, slots=True)
class Visit:
    """The node program on a host, what is given to it, and why the cluster is missing in that."""

    session: Session
    program: NodeProgram
    host: str
    given: Given
    unread: Mapping[str, str]


async def diagnose_host(
    place: str, connect: Connect, api: Api | None, *, bring: Bring
) -> Diagnosed:
    """Look for every cause on the host of that name or address, or in what the cluster says where it is out of reach."""
    try:
        return await _diagnose_near(connect, api, bring=bring)
    except UsageError:
        raise
    except TransomError as error:
        return await _diagnose_afar(place, api, error)


async def _diagnose_near(connect: Connect, api: Api | None, *, bring: Bring) -> Diagnosed:
    async with visiting(connect, api, bring=bring) as visit:
        document = await visit.program.look("doctor", "-o", "json", given=visit.given)
    findings, unread = _read(document)
    return Diagnosed(host=visit.host, findings=findings, unread={**visit.unread, **unread})


def _read(document: Mapping[str, Any]) -> tuple[tuple[Finding, ...], dict[str, str]]:
    """What the program on the host found, and what it could not read."""
    try:
        findings = tuple(decode(Finding, item) for item in document["findings"])
        return findings, {
            str(item["file"]): str(item["message"]) for item in document["unreadable"]
        }
    except (ValueError, KeyError, TypeError) as error:
        raise unusable(f"its findings have another form ({error})") from error


async def _diagnose_afar(place: str, api: Api | None, error: TransomError) -> Diagnosed:
    """What the cluster alone tells of a host that cannot be looked at."""
    why = {_HOST: f"{error.message}; {error.hint}" if error.hint else error.message}
    node, problem = await _node_at(place, api)
    cluster, unread = (None, {_CLUSTER: problem}) if problem else await _asked(api, node)
    if cluster is None:
        return Diagnosed(host=node, findings=(), unread={**why, **unread}, error=error)
    seen = Observation(time=cluster.time, host=node, build=0, revision=0, cluster=cluster)
    told = [diagnosis for diagnosis in DIAGNOSES if diagnosis.looks_at == ("cluster",)]
    # Each by itself: what would hide another as its consequence does not explain a host out of reach.
    examined = [examine(seen, [diagnosis]) for diagnosis in told]
    return Diagnosed(
        host=node,
        findings=tuple(finding for item in examined for finding in item.findings),
        unread={**why, **unread, **{k: v for item in examined for k, v in item.unread.items()}},
        error=error,
    )


async def _node_at(place: str, api: Api | None) -> tuple[str, str]:
    """The Node of that name or address, and why there is none."""
    if api is None:
        return place, _NO_KUBECONFIG
    try:
        nodes = await api.nodes()
    except TransomError as error:
        return place, error.message
    name = place.lower()
    found = [node.name for node in nodes if name == node.name or name in node.addresses]
    return (found[0], "") if found else (place, f"it has no Node {place}")


@asynccontextmanager
async def visiting(connect: Connect, api: Api | None, *, bring: Bring) -> AsyncIterator[Visit]:
    """Have this version's program on the host for a while, and the cluster's view of its node."""
    session = await connect()
    try:
        async with present(session, NodeProgram(session), bring) as program:
            host = (await program.inventory()).name.lower()
            cluster, unread = await _asked(api, host)
            yield Visit(session, program, host, Given(cluster=cluster), unread)
    finally:
        await session.close()


async def read_sight(api: Api, node: str) -> ClusterSight:
    """What the cluster says of a node; settings it does not have are left out.

    What the caller may not read is named in `unread`: one right that is missing loses nothing else.
    """
    unread: dict[str, str] = {}

    async def part(name: str, reading: Awaitable[T], otherwise: T) -> T:
        try:
            return await reading
        except PermanentError as error:
            unread[name] = error.message
            return otherwise

    requests = await part("requests", api.request_sights(), ())
    ranges = await part("ranges", _ranges(api), {})
    return ClusterSight(
        time=await api.time(),
        version=await api.version(),
        node=await part("node", api.node_sight(node), None),
        requests=tuple(item for item in requests if item.subject == f"{_NODE}{node}"),
        approvers=await part("approvers", api.bound_to(_APPROVERS), ()),
        flannel=await part("flannel", _flannel(api), None),
        services=await part("services", api.service_sights(), ()),
        **ranges,
        unread=unread,
    )


async def _asked(api: Api | None, node: str) -> tuple[ClusterSight | None, dict[str, str]]:
    if api is None:
        return None, {_CLUSTER: _NO_KUBECONFIG}
    try:
        cluster = await read_sight(api, node)
    except TransomError as error:
        return None, {_CLUSTER: error.message}
    return cluster, {f"{_CLUSTER}'s {part}": why for part, why in cluster.unread.items()}


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
