"""What kube-proxy leaves in the host network service, and upstream never removes.

kube-proxy deletes every balancer when it starts, but the remote endpoints of Services that were deleted
while it did not run stay for ever, and so does the endpoint of an earlier source address. It gives its
endpoints no name; those of pods have one, and so have those of network plugins. Called while kube-proxy
does not run.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from transom.model.records import dataclass
from transom.node.host.nouns.network import Hns
from transom.node.host.values import HnsState

BALANCERS, ENDPOINTS = "balancers", "endpoints"
_REMOTE = 1


@dataclass(frozen=True, slots=True)
class Removed:
    """How many of each were removed."""

    balancers: int
    endpoints: int


def remove_leftovers(
    hns: Hns, leaves: tuple[str, ...], *, network: str, source_vip: str
) -> Removed:
    """Remove what a program that does not run left on a network; balancers first, they name endpoints."""
    state = hns.state()
    endpoints = list(_endpoints(state, network, source_vip)) if ENDPOINTS in leaves else []
    balancers = list(_balancers(state, network)) if BALANCERS in leaves else []
    for identity in balancers:
        hns.delete_balancer(identity)
    for identity in endpoints:
        hns.delete_endpoint(identity)
    return Removed(len(balancers), len(endpoints))


def _balancers(state: HnsState, network: str) -> Iterator[str]:
    """Those that lead into the network, or to endpoints that are gone."""
    here = _identity(state, network)
    networks = {str(item["ID"]).lower(): _network_of(item) for item in state.endpoints}
    for item in state.balancers:
        ends = [str(end).lower() for end in item.get("HostComputeEndpoints") or ()]
        if any(networks.get(end, here) == here for end in ends):
            yield str(item["ID"])


def _endpoints(state: HnsState, network: str, source_vip: str) -> Iterator[str]:
    here = _identity(state, network)
    known = {str(item["ID"]).lower() for item in state.networks}
    for item in state.endpoints:
        if item.get("Name"):
            continue
        place = _network_of(item)
        old_source = not _is_remote(item) and source_vip and source_vip not in _addresses(item)
        if place not in known or (place == here and (_is_remote(item) or old_source)):
            yield str(item["ID"])


def _identity(state: HnsState, network: str) -> str:
    found = (str(item["ID"]).lower() for item in state.networks if item.get("Name") == network)
    return next(found, "")


def _network_of(endpoint: Mapping[str, Any]) -> str:
    return str(endpoint.get("HostComputeNetwork", "")).lower()


def _is_remote(endpoint: Mapping[str, Any]) -> bool:
    return bool((endpoint.get("Flags") or 0) & _REMOTE)


def _addresses(endpoint: Mapping[str, Any]) -> list[str]:
    return [str(item.get("IpAddress", "")) for item in endpoint.get("IpConfigurations") or ()]
