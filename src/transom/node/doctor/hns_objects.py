"""Networks, endpoints and balancers of the host network service, as it describes them."""

import ipaddress
import json
from collections.abc import Mapping
from typing import Any

from transom.node.doctor.observation import Observation

_REMOTE = 1


def network_name(observation: Observation) -> str:
    """The name the pod network must have: by the recipe, else by the network's configuration."""
    if observation.recipe is not None and observation.recipe.network.name:
        return observation.recipe.network.name
    for text in observation.texts_in(r"C:\etc\cni\net.d").values():
        try:
            return str(json.loads(text)["name"])
        except (ValueError, KeyError, TypeError):
            continue
    return ""


def network(observation: Observation) -> Mapping[str, Any] | None:
    """The pod network itself."""
    name = network_name(observation)
    found = (item for item in observation.hns.networks if item.get("Name") == name)
    return next(found, None) if name else None


def prefixes(item: Mapping[str, Any]) -> tuple[str, ...]:
    """The subnets of a network."""
    return tuple(str(subnet.get("IpAddressPrefix", "")) for subnet in _subnets(item))


def isolation(item: Mapping[str, Any]) -> int | None:
    """The virtual network's number of an overlay."""
    for subnet in (*_subnets(item), item):
        for policy in subnet.get("Policies") or ():
            if policy.get("Type") == "VSID":
                return (policy.get("Settings") or {}).get("IsolationId")
    return None


def is_remote(endpoint: Mapping[str, Any]) -> bool:
    """Whether an endpoint stands for one on another host."""
    return bool((endpoint.get("Flags") or 0) & _REMOTE)


def addresses(endpoint: Mapping[str, Any]) -> tuple[str, ...]:
    """The addresses of an endpoint."""
    found = endpoint.get("IpConfigurations") or ()
    return tuple(str(item.get("IpAddress", "")) for item in found)


def used_endpoints(observation: Observation) -> set[str]:
    """The identities of the endpoints that balancers lead to."""
    return {
        str(endpoint).lower()
        for balancer in observation.hns.balancers
        for endpoint in balancer.get("HostComputeEndpoints") or ()
    }


def backend_endpoints(observation: Observation) -> dict[str, tuple[str, ...]]:
    """The remote endpoints that stand for a Service's backends, with their addresses, by identity.

    On an overlay winkernel also makes one for each cluster IP, which no balancer ever uses
    (kubernetes v1.37.1 pkg/proxy/winkernel/proxier.go:1287-1306): those are left out.
    """
    ranges = service_ranges(observation)
    found = {
        identity(item): addresses(item) for item in observation.hns.endpoints if is_remote(item)
    }
    return {
        name: there
        for name, there in found.items()
        if not any(contains(prefix, address) for prefix in ranges for address in there)
    }


def identity(item: Mapping[str, Any]) -> str:
    """What the host network service knows an object by; it writes it in either case."""
    return str(item.get("ID", "")).lower()


def service_ranges(observation: Observation) -> tuple[str, ...]:
    """The ranges of cluster IPs: by the cluster, else by the recipe."""
    if observation.cluster is not None and observation.cluster.service_cidrs:
        return observation.cluster.service_cidrs
    return observation.recipe.network.service_cidrs if observation.recipe is not None else ()


def network_was_there(observation: Observation) -> bool:
    """Whether the pod network was once up on this host: its traces outlive a reboot."""
    name = network_name(observation)
    leases = f"\\networks\\{name}\\".lower()
    return bool(observation.text("\\subnet.env")[0]) or any(
        leases in path.lower() for path in observation.texts
    )


def subnet_environment(observation: Observation) -> dict[str, str]:
    """What flanneld wrote about this host's part of the network."""
    _, text = observation.text("\\subnet.env")
    pairs = (line.partition("=") for line in text.splitlines() if "=" in line)
    return {name.strip(): value.strip() for name, _, value in pairs}


def contains(prefix: str, address: str) -> bool:
    """Whether an address is in a subnet; texts that are neither are not."""
    try:
        return ipaddress.ip_address(address) in ipaddress.ip_network(prefix, strict=False)
    except ValueError:
        return False


def within(inner: str, outer: str) -> bool:
    """Whether a subnet is part of another; texts that are none are not."""
    try:
        small = ipaddress.ip_network(inner, strict=False)
        large = ipaddress.ip_network(outer, strict=False)
    except ValueError:
        return False
    if isinstance(small, ipaddress.IPv4Network) and isinstance(large, ipaddress.IPv4Network):
        return small.subnet_of(large)
    if isinstance(small, ipaddress.IPv6Network) and isinstance(large, ipaddress.IPv6Network):
        return small.subnet_of(large)
    return False


def _subnets(item: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [subnet for ipam in item.get("Ipams") or () for subnet in ipam.get("Subnets") or ()]
