"""The v1 schema of HNS (HNSCall) as a view of v2 documents, and the way back.

Pure functions between documents. Names of members are Microsoft's; what has no counterpart in
the other schema is left out, as HNS does.
"""

from typing import Any

from transom_lab.hns.store import SCHEMA_V2, Entry, Json

REMOTE_ENDPOINT = 1
"""Endpoint flag: the endpoint is on another host."""

DEFAULT_PREFIX = "0.0.0.0/0"


def subnets(network: Json) -> list[Json]:
    """Every subnet of a v2 network document."""
    return [s for ipam in network.get("Ipams") or [] for s in ipam.get("Subnets") or []]


def is_remote(endpoint: Json) -> bool:
    """Whether a v2 endpoint document stands for an endpoint of another host."""
    return bool((endpoint.get("Flags") or 0) & REMOTE_ENDPOINT)


def policy_to_v1(policy: Json) -> Json:
    """A v2 policy, `{"Type", "Settings": {...}}`, as the flat v1 one."""
    kind, settings = policy["Type"], dict(policy.get("Settings") or {})
    if kind in ("VSID", "VLAN"):
        return {"Type": kind, kind: settings.get("IsolationId", 0)}
    if kind == "ProviderAddress":
        return {"Type": "PA", "PA": settings.get("ProviderAddress")}
    if kind == "OutBoundNAT" and "Exceptions" in settings:
        settings["ExceptionList"] = settings.pop("Exceptions")
    return {"Type": "ROUTE" if kind == "SDNRoute" else kind, **settings}


def policy_from_v1(policy: Json) -> Json:
    """A flat v1 policy as a v2 one."""
    settings = dict(policy)
    kind = settings.pop("Type", "")
    if kind in ("VSID", "VLAN"):
        settings = {"IsolationId": settings.get(kind, 0)}
    elif kind == "PA":
        kind, settings = "ProviderAddress", {"ProviderAddress": settings.get("PA")}
    elif kind == "ROUTE":
        kind = "SDNRoute"
    elif kind == "OutBoundNAT" and "ExceptionList" in settings:
        settings["Exceptions"] = settings.pop("ExceptionList")
    return {"Type": kind, "Settings": settings}


def _policies_from_v1(document: Json) -> list[Json]:
    return [policy_from_v1(p) for p in document.get("Policies") or []]


def _policies_to_v1(document: Json) -> list[Json]:
    return [policy_to_v1(p) for p in document.get("Policies") or []]


def _split(text: str) -> list[str]:
    return [part for part in text.split(",") if part]


def network_from_v1(document: Json) -> Json:
    """A v1 network document as a v2 one."""
    policies = _policies_from_v1(document)
    if name := document.get("NetworkAdapterName"):
        settings = {"NetworkAdapterName": name}
        policies.append({"Type": "NetAdapterName", "Settings": settings})
    found = [
        {
            "IpAddressPrefix": subnet.get("AddressPrefix", ""),
            "Policies": _policies_from_v1(subnet),
            "Routes": [
                {
                    "NextHop": subnet.get("GatewayAddress", ""),
                    "DestinationPrefix": DEFAULT_PREFIX,
                }
            ],
        }
        for subnet in document.get("Subnets") or []
    ]
    return {
        "Name": document.get("Name", ""),
        "Type": document.get("Type", "NAT"),
        "Policies": policies,
        "SchemaVersion": SCHEMA_V2,
        "MacPool": {"Ranges": document.get("MacPools") or []},
        "Dns": {"ServerList": _split(document.get("DNSServerList", ""))},
        "Ipams": [{"Type": "Static", "Subnets": found}],
    }


def endpoint_from_v1(document: Json) -> Json:
    """A v1 endpoint document as a v2 one."""
    result: Json = {
        "Name": document.get("Name", ""),
        "MacAddress": document.get("MacAddress", ""),
        "Policies": _policies_from_v1(document),
        "Dns": {
            "ServerList": _split(document.get("DNSServerList", "")),
            "Search": _split(document.get("DNSSuffix", "")),
        },
        "Flags": REMOTE_ENDPOINT if document.get("IsRemoteEndpoint") else 0,
        "SchemaVersion": SCHEMA_V2,
    }
    if address := document.get("IPAddress"):
        configuration: Json = {"IpAddress": address}
        if length := document.get("PrefixLength"):
            configuration["PrefixLength"] = length
        result["IpConfigurations"] = [configuration]
    if gateway := document.get("GatewayAddress"):
        result["Routes"] = [{"NextHop": gateway, "DestinationPrefix": DEFAULT_PREFIX}]
    return result


def network_to_v1(
    network: Entry, *, endpoints: int, version: tuple[int, int], switched: bool
) -> Json:
    """A network as v1 shows it; `switched` says whether its virtual switch is up."""
    document = network.document
    result: Json = {
        "ID": network.id.upper(),
        "Name": document.get("Name", ""),
        "Type": document["Type"],
        "Flags": document.get("Flags", 0),
        "State": 1,
        "Version": version[0] << 32 | version[1],
        "MacPools": document["MacPool"]["Ranges"],
        "Policies": _policies_to_v1(document),
        "Subnets": [
            {
                "AddressPrefix": subnet["IpAddressPrefix"],
                "Policies": _policies_to_v1(subnet),
                "GatewayAddress": _first_hop(subnet),
            }
            for subnet in subnets(document)
        ],
        "DNSServerList": ",".join((document.get("Dns") or {}).get("ServerList") or []),
        "CurrentEndpointCount": endpoints,
    }
    if adapter := network.private.get("adapter"):
        result["NetworkAdapterName"] = adapter
        if switched:
            result["ManagementIP"] = network.private["management"]
    if mac := network.private.get("dr_mac"):
        result["DrMacAddress"] = mac
    return result


def endpoint_to_v1(endpoint: Entry, network_name: str) -> Json:
    """An endpoint as v1 shows it; empty members are left out."""
    document = endpoint.document
    dns = document.get("Dns") or {}
    address: Json = (document["IpConfigurations"] or [{}])[0]
    namespace = document.get("HostComputeNamespace")
    result: Json = {
        "ID": endpoint.id.upper(),
        "Name": document.get("Name", ""),
        "VirtualNetwork": document["HostComputeNetwork"].upper(),
        "VirtualNetworkName": network_name,
        "MacAddress": document["MacAddress"],
        "IPAddress": address.get("IpAddress", ""),
        "PrefixLength": address.get("PrefixLength", 0),
        "GatewayAddress": _first_hop(document),
        "Policies": _policies_to_v1(document),
        "DNSServerList": ",".join(dns.get("ServerList") or []),
        "DNSSuffix": ",".join(dns.get("Search") or []),
        "State": 2 if endpoint.private.get("interface") or namespace else 1,
        "SharedContainers": endpoint.private.get("containers", []),
    }
    if is_remote(document):
        result["IsRemoteEndpoint"] = True
    if namespace:
        result["Namespace"] = {"ID": namespace.upper()}
    return {key: value for key, value in result.items() if value not in ("", None)}


def balancer_to_v1(balancer: Entry) -> Json:
    """A load balancer as the policy list v1 shows."""
    document = balancer.document
    policies = [
        {
            "Type": "ELB",
            "VIPs": document.get("FrontendVIPs") or [],
            "SourceVIP": document.get("SourceVIP", ""),
            "Protocol": mapping.get("Protocol", 0),
            "InternalPort": mapping.get("InternalPort", 0),
            "ExternalPort": mapping.get("ExternalPort", 0),
            "ILB": bool(mapping.get("Flags", 0) & 1),
            "IsDSR": bool(document.get("Flags", 0) & 1),
        }
        for mapping in document["PortMappings"]
    ]
    references = [f"/endpoints/{i.upper()}" for i in document.get("HostComputeEndpoints") or []]
    return {"ID": balancer.id.upper(), "References": references, "Policies": policies}


def _first_hop(routed: Json) -> Any:
    return next((route["NextHop"] for route in routed.get("Routes") or []), "")
