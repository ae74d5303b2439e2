"""kube-proxy serves a Service while another one has many endpoints."""

from transom.model.manifest import Manifest
from transom.verify.check import Check, Suite
from transom.verify.checks.network._reach import NO_PACKETS, from_pod
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt
from transom.verify.running.case import Case
from transom.verify.running.objects import HTTP_PORT, SERVER, server, service

_CLIENT = "client"
_SLICE = 100
# Addresses of documentation, which nothing has: 198.51.100.0/24 and 203.0.113.0/24.
_NETWORKS = ("198.51.100", "203.0.113")
_EACH = 250


def objects(case: Case) -> tuple[Manifest, ...]:
    """A Service of many endpoints first; then a pod behind another Service, and one that asks."""
    count = int(case.expected("many-endpoints"))
    addresses = [f"{_NETWORKS[n // _EACH % len(_NETWORKS)]}.{n % _EACH + 1}" for n in range(count)]
    slices = [
        _slice(case, number, addresses[start : start + _SLICE])
        for number, start in enumerate(range(0, count, _SLICE))
    ]
    many = service(case, "many", of="nobody")
    spec = {key: value for key, value in many["spec"].items() if key != "selector"}
    return (
        {**many, "spec": {**spec, "ports": many["spec"]["ports"][:1]}},
        *slices,
        server(case),
        server(case, _CLIENT),
        service(case, "after"),
    )


def _slice(case: Case, number: int, addresses: list[str]) -> Manifest:
    return {
        "apiVersion": "discovery.k8s.io/v1",
        "kind": "EndpointSlice",
        "metadata": {
            "name": f"many-{number}",
            "namespace": case.namespace,
            "labels": {"kubernetes.io/service-name": "many"},
        },
        "addressType": "IPv4",
        "ports": [{"name": "http", "port": HTTP_PORT, "protocol": "TCP"}],
        "endpoints": [{"addresses": [item], "conditions": {"ready": True}} for item in addresses],
    }


async def prove(attempt: Attempt) -> None:
    """The Service that came after is served."""
    address = await attempt.cluster_address("after")
    await from_pod(attempt, _CLIENT, address, 80, "http", answers=SERVER)
    attempt.evidence["endpoints"] = attempt.case.expected("many-endpoints")


CHECK = Check(
    name="kube-proxy-many-endpoints",
    suite=Suite.SCALE,
    what="kube-proxy serves a new Service in time while another one has hundreds of endpoints.",
    why="On Windows it makes an HNS endpoint for each remote one, and one that fails holds up all.",
    needs=(needs.isolated, needs.pods),
    objects=objects,
    prove=prove,
    patience_s=240,
    lab=NO_PACKETS,
)
