"""A Service of type LoadBalancer is given an address, and a pod reaches it there."""

from transom.kube.door import SERVICE
from transom.model.manifest import Manifest
from transom.verify.check import Check, Fault, NotProven, Suite
from transom.verify.checks.network._reach import NO_PACKETS, from_pod
from transom.verify.running import needs
from transom.verify.running.attempt import Attempt
from transom.verify.running.case import Case
from transom.verify.running.objects import SERVER, server, service

_CLIENT = "client"
# Looks, two seconds apart, after which no address is expected any more.
_TRIES = 120


def provider(case: Case) -> str:
    """Someone must give addresses, and that is asked of a cloud only."""
    return (
        ""
        if case.setting.provider
        else "no Node has a provider ID: nothing gives load balancers addresses"
    )


def objects(case: Case) -> tuple[Manifest, ...]:
    """A pod behind a Service, and one that asks."""
    return (server(case), server(case, _CLIENT), service(case, "web", type="LoadBalancer"))


async def prove(attempt: Attempt) -> None:
    """Ask at the address that the provider gave."""
    status = (await attempt.found("web", SERVICE)).get("status") or {}
    given = ((status.get("loadBalancer") or {}).get("ingress") or [{}])[0]
    address = given.get("ip") or given.get("hostname")
    if not address:
        attempt.memory["asked"] = attempt.memory.get("asked", 0) + 1
        if attempt.memory["asked"] > _TRIES:
            raise NotProven("the provider gave the Service no address")
        raise Fault("the provider gave the Service no address yet")
    await from_pod(attempt, _CLIENT, str(address), 80, "http", answers=SERVER)


CHECK = Check(
    name="service-load-balancer",
    suite=Suite.NETWORK,
    what="A Service of type LoadBalancer is given an address, and a pod of the node reaches its pods there.",
    why="kube-proxy on Windows programs ingress addresses apart from cluster IPs.",
    needs=(needs.isolated, needs.pods, provider),
    objects=objects,
    prove=prove,
    patience_s=400,
    lab="no provider gives addresses there, and " + NO_PACKETS,
)
