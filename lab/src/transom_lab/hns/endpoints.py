"""Endpoints: addresses, MACs and ports given out, and attachment to the host itself."""

import ipaddress
from collections.abc import Iterator
from dataclasses import dataclass

from transom_lab.hns.errors import Code, HnsFailureError
from transom_lab.hns.host import HostNetwork, NetworkCommandError
from transom_lab.hns.schema import is_remote, subnets
from transom_lab.hns.store import SCHEMA_V2, Entry, Json, Kind, Store

_Address = ipaddress.IPv4Address | ipaddress.IPv6Address
_Network = ipaddress.IPv4Network | ipaddress.IPv6Network


@dataclass(frozen=True, slots=True)
class _Subnet:
    """One subnet of a network, with the routes an endpoint in it gets."""

    prefix: _Network
    routes: list[Json]

    @property
    def gateways(self) -> set[str]:
        return {route["NextHop"] for route in self.routes if route.get("NextHop")}

    def is_edge(self, address: _Address) -> bool:
        """Whether an address means the subnet itself or everyone in it."""
        edges = (self.prefix.network_address, self.prefix.broadcast_address)
        return self.prefix.num_addresses > len(edges) and address in edges


class Endpoints:
    """Makes, attaches and removes endpoints in a store."""

    def __init__(self, store: Store, host: HostNetwork) -> None:
        self._store = store
        self._host = host

    def of(self, network: Entry) -> list[Entry]:
        """The endpoints of a network."""
        found = self._store.all(Kind.ENDPOINT)
        return [e for e in found if e.document["HostComputeNetwork"] == network.id]

    def create(self, document: Json, network: Entry, wanted: str = "") -> Entry:
        """Check and store an endpoint; give it what it did not ask for."""
        made: Json = {
            "SchemaVersion": SCHEMA_V2,
            **document,
            "HostComputeNetwork": network.id,
            "Policies": document.get("Policies") or [],
        }
        made["IpConfigurations"] = self._addresses(made, network)
        if not is_remote(made) and not made.get("Routes"):
            made["Routes"] = _routes(made, network)
        if any(_ports(made) & _ports(e.document) for e in self._store.all(Kind.ENDPOINT)):
            raise HnsFailureError(Code.PORT_EXISTS)
        mac = made.get("MacAddress") or self._free_mac(network)
        made["MacAddress"] = mac.replace(":", "-").upper()
        return self._store.add(Kind.ENDPOINT, made, wanted=wanted)

    def _addresses(self, document: Json, network: Entry) -> list[Json]:
        """The endpoint's addresses with their prefix lengths; one of its own if it asks none."""
        found = _subnets(network)
        taken = self._taken(network).union(*(subnet.gateways for subnet in found))
        asked = document.get("IpConfigurations") or _allocate(found, taken)
        result = []
        for configuration in asked:
            address = _address(configuration.get("IpAddress"))
            home = next((s for s in found if address in s.prefix), None)
            if not is_remote(document):
                if found and home is None:
                    raise HnsFailureError(Code.INVALID_IP)
                if str(address) in taken or (home and home.is_edge(address)):
                    raise HnsFailureError(Code.ADDRESS_RESERVED)
                taken.add(str(address))
            length = {"PrefixLength": home.prefix.prefixlen} if home else {}
            result.append({**length, **configuration, "IpAddress": str(address)})
        return result

    def _taken(self, network: Entry) -> set[str]:
        return {
            configuration["IpAddress"]
            for endpoint in self.of(network)
            if not is_remote(endpoint.document)
            for configuration in endpoint.document["IpConfigurations"]
        }

    def _free_mac(self, network: Entry) -> str:
        taken = {e.document["MacAddress"] for e in self.of(network)}
        for mac in _macs(network.document["MacPool"]["Ranges"]):
            if mac not in taken:
                return mac
        raise HnsFailureError(Code.INVALID_ENDPOINT)

    def view(self, endpoint: Entry) -> Json:
        """The endpoint as v2 shows it."""
        return {**endpoint.document, "Health": {"Extra": {}}}

    def modify(self, endpoint: Entry, request: Json) -> None:
        """Add, remove or replace all policies of an endpoint."""
        if request.get("ResourceType") != "Policy":
            raise HnsFailureError(Code.UNSUPPORTED)
        asked = (request.get("Settings") or {}).get("Policies") or []
        present = endpoint.document["Policies"]
        match request.get("RequestType"):
            case "Add":
                endpoint.document["Policies"] = present + asked
            case "Remove":
                endpoint.document["Policies"] = [p for p in present if p not in asked]
            case _:
                endpoint.document["Policies"] = asked

    def attach_to_host(self, endpoint: Entry) -> None:
        """Make the endpoint an interface of the host, where programs look for its address."""
        if endpoint.private.get("interface"):
            raise HnsFailureError(Code.ATTACHED)
        addresses = endpoint.document["IpConfigurations"]
        if not addresses:
            raise HnsFailureError(Code.INVALID_ENDPOINT)
        name = f"hns{endpoint.id[:8]}"
        mac = endpoint.document["MacAddress"].replace("-", ":")
        address = f"{addresses[0]['IpAddress']}/{addresses[0].get('PrefixLength', 32)}"
        try:
            self._host.add_interface(name, mac, address)
        except NetworkCommandError:
            raise HnsFailureError(Code.ADAPTER_NOT_FOUND) from None
        endpoint.private["interface"] = name

    def detach_from_host(self, endpoint: Entry) -> None:
        """Take the endpoint's interface off the host; none is no error."""
        if name := endpoint.private.pop("interface", None):
            self._host.remove_interface(name)

    def delete(self, endpoint: Entry) -> None:
        """Remove an endpoint, and every mention of it."""
        self.detach_from_host(endpoint)
        for namespace in self._store.all(Kind.NAMESPACE):
            kept = [
                resource
                for resource in namespace.document["Resources"]
                if resource["Data"].get("Id") != endpoint.id
            ]
            namespace.document["Resources"] = kept
        for balancer in self._store.all(Kind.LOAD_BALANCER):
            targets = balancer.document.get("HostComputeEndpoints") or []
            balancer.document["HostComputeEndpoints"] = [
                target for target in targets if target.lower() != endpoint.id
            ]
        self._store.remove(Kind.ENDPOINT, endpoint)


def _subnets(network: Entry) -> list[_Subnet]:
    return [
        _Subnet(ipaddress.ip_network(subnet["IpAddressPrefix"]), subnet.get("Routes") or [])
        for subnet in subnets(network.document)
    ]


def _address(text: object) -> _Address:
    try:
        return ipaddress.ip_address(str(text))
    except ValueError:
        raise HnsFailureError(Code.INVALID_IP) from None


def _allocate(found: list[_Subnet], taken: set[str]) -> list[Json]:
    """The first free address; none where the network has no subnet (its addresses are outside)."""
    if not found:
        return []
    for subnet in found:
        for address in subnet.prefix.hosts():
            if str(address) not in taken:
                return [{"IpAddress": str(address)}]
    raise HnsFailureError(Code.ADDRESS_RESERVED)


def _routes(document: Json, network: Entry) -> list[Json]:
    """The routes of the subnets the endpoint has an address in."""
    addresses = [_address(c["IpAddress"]) for c in document["IpConfigurations"]]
    return [
        {"NextHop": route["NextHop"], "DestinationPrefix": route["DestinationPrefix"]}
        for subnet in _subnets(network)
        if any(address in subnet.prefix for address in addresses)
        for route in subnet.routes
    ]


def _macs(ranges: list[Json]) -> Iterator[str]:
    for one in ranges:
        first, last = (int(one[key].replace("-", ""), 16) for key in _RANGE_KEYS)
        for value in range(first, last + 1):
            yield value.to_bytes(6).hex("-").upper()


_RANGE_KEYS = ("StartMacAddress", "EndMacAddress")


def _ports(document: Json) -> set[tuple[str, int, int]]:
    """The host ports an endpoint maps to itself: address, protocol, port."""
    mappings = [
        policy.get("Settings") or {}
        for policy in document["Policies"]
        if policy.get("Type") == "PortMapping"
    ]
    return {
        (mapping.get("VIP", ""), mapping.get("Protocol", 0), mapping["ExternalPort"])
        for mapping in mappings
        if mapping.get("ExternalPort")
    }
