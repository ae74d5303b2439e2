"""The CNI configuration of a host, for the plugins whose own installer does not write it."""

import ipaddress
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from transom.facts import rows
from transom.facts.network import CniRow
from transom.model.fleet import WinCNISpec
from transom.model.recipe import File
from transom.recipe.case import Case

Json = dict[str, Any]

# Put in by the node program once the cluster has given the node its range.
NODE_POD_CIDR = "nodePodCIDR"
NODE_POD_GATEWAY = "nodePodGateway"


# Stands for the host's own address while the configuration of hosts that are alike is written, once.
_ADDRESS = "{{hostAddress}}"


def cni_files(case: Case) -> list[File]:
    """The network's configuration, and Flannel's own where it runs."""
    address = case.host.address
    templates = case.cni_templates
    key = _is_address(address)
    if key not in templates:
        templates[key] = _templates(case)
    return [
        replace(file, content=file.content.replace(_ADDRESS, address))
        if _ADDRESS in file.content
        else file
        for file in templates[key]
    ]


def _templates(case: Case) -> list[File]:
    row = next(
        (
            row
            for row in rows.rows(CniRow, case.at)
            if (row.plugin, row.mode, row.runtime) == (case.plugin, case.mode, case.runtime)
        ),
        None,
    )
    if row is None:
        return []
    configuration = _BUILDERS[row.plugin](case, row)
    text = _text(configuration)
    fills = tuple(name for name in (NODE_POD_CIDR, NODE_POD_GATEWAY) if f"{{{{{name}}}}}" in text)
    files = [
        File(
            path=f"{case.places['cni_conf']}\\{row.file}",
            content=text,
            acl="",
            why=row.id,
            fills=fills,
        )
    ]
    if case.plugin == "flannel":
        files.append(
            File(
                path=f"{case.places['flannel_conf']}\\net-conf.json",
                content=_text(_flannel_network(case)),
                acl="",
                why=case.mode_row.id if case.mode_row else row.id,
            )
        )
    return files


def _flannel(case: Case, row: CniRow) -> Json:
    delegate: Json = {"type": row.delegate, **_endpoint(case, row)}
    if row.policies == "v2":
        delegate["apiVersion"] = 2
    plugin: Json = {
        "type": row.plugin_type,
        "capabilities": {"portMappings": True, "dns": True},
        "delegate": delegate,
    }
    return _wrapped(case, row, plugin)


def _reference_plugin(case: Case, row: CniRow) -> Json:
    plugin: Json = {
        "type": row.plugin_type,
        "capabilities": {"portMappings": True, "dns": True},
        "ipam": {"type": "host-local", "subnet": "{{" + NODE_POD_CIDR + "}}"},
        **_endpoint(case, row),
    }
    if row.policies == "v2":
        plugin["apiVersion"] = 2
    return _wrapped(case, row, plugin)


def _wincni(case: Case, row: CniRow) -> Json:
    return _wrapped(
        case,
        row,
        {
            "type": row.plugin_type,
            "master": "Ethernet",
            "ipam": _wincni_ipam(case),
            "dns": {"Nameservers": list(case.fleet.network.cluster_dns)},
            "AdditionalArgs": _policies(case, row),
        },
    )


def _wincni_ipam(case: Case) -> Json:
    plugin = case.fleet.network.plugin
    place = plugin.environment if isinstance(plugin, WinCNISpec) else None
    return {
        **({"environment": place} if place else {}),
        "subnet": "{{" + NODE_POD_CIDR + "}}",
        "routes": [{"GW": "{{" + NODE_POD_GATEWAY + "}}"}],
    }


def _azure(case: Case, row: CniRow) -> Json:
    return _wrapped(
        case,
        row,
        {
            "type": row.plugin_type,
            "mode": "bridge",
            "bridge": case.network_name,
            "capabilities": {"portMappings": True, "dns": True},
            "ipam": {"type": "azure-vnet-ipam"},
            "dns": {"Nameservers": list(case.fleet.network.cluster_dns)},
            "AdditionalArgs": _policies(case, row),
        },
    )


_BUILDERS = {
    "flannel": _flannel,
    "winBridge": _reference_plugin,
    "winOverlay": _reference_plugin,
    "wincni": _wincni,
    "azureCNI": _azure,
}


def _wrapped(case: Case, row: CniRow, plugin: Json) -> Json:
    head: Json = {"cniVersion": row.cni_version, "name": case.network_name}
    return {**head, "plugins": [plugin]} if row.file.endswith(".conflist") else {**head, **plugin}


def _endpoint(case: Case, row: CniRow) -> Json:
    return {
        "dns": {
            "nameservers": list(case.fleet.network.cluster_dns),
            "search": ["svc.cluster.local"],
        },
        "policies" if row.policies == "v2" else "Policies": _policies(case, row),
    }


def _policies(case: Case, row: CniRow) -> list[Json]:
    network = case.fleet.network
    exceptions = [*network.service_cidrs, *network.pod_cidrs]
    if isinstance(network.plugin, WinCNISpec) and network.plugin.node_subnet:
        exceptions.append(network.plugin.node_subnet)
    routes = list(network.service_cidrs)
    if case.mode == "l2bridge" and _is_address(case.host.address):
        routes.append(f"{_ADDRESS}/32")
    if row.policies == "v1":
        nat: Json = {"Type": "OutBoundNAT", "ExceptionList": exceptions}
        values = [nat] + [
            {"Type": "ROUTE", "DestinationPrefix": prefix, "NeedEncap": True} for prefix in routes
        ]
        return [{"Name": "EndpointPolicy", "Value": value} for value in values]
    nat = {"Type": "OutBoundNAT", "Settings": {"Exceptions": exceptions}}
    values = [nat] + [
        {"Type": "SDNRoute", "Settings": {"DestinationPrefix": prefix, "NeedEncap": True}}
        for prefix in routes
    ]
    if case.mode == "overlay" and _is_address(case.host.address):
        values.append({"Type": "ProviderAddress", "Settings": {"ProviderAddress": _ADDRESS}})
    return [{"name": "EndpointPolicy", "value": value} for value in values]


def _flannel_network(case: Case) -> Json:
    if case.mode == "overlay":
        backend: Json = {
            "Type": "vxlan",
            "VNI": case.vni,
            "Port": case.port,
            "Name": case.network_name,
        }
    else:
        backend = {"Type": "host-gw", "Name": case.network_name}
    return {"Network": _first_ipv4(case.fleet.network.pod_cidrs), "Backend": backend}


def _first_ipv4(cidrs: Sequence[str]) -> str:
    networks = (ipaddress.ip_network(cidr, strict=False) for cidr in cidrs)
    return next(str(n) for n in networks if isinstance(n, ipaddress.IPv4Network))


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def _text(document: Json) -> str:
    return json.dumps(document, indent=2) + "\n"
