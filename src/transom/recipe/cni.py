"""The CNI configuration of a host, for the plugins whose own installer does not write it."""

import ipaddress
import json
from collections.abc import Sequence
from typing import Any

from transom.facts import rows
from transom.facts.network import CniRow
from transom.model.fleet import FLANNEL_BACKENDS, NetworkMode, WinCNISpec
from transom.model.recipe import File
from transom.recipe.shape import Shape

Json = dict[str, Any]

# Put in by the node program once the cluster knows the node and has given it a range. The fleet's
# address is no substitute: it may be a name, or that of another adapter.
NODE_POD_CIDR = "nodePodCIDR"
NODE_POD_GATEWAY = "nodePodGateway"
NODE_ADDRESS = "nodeAddress"
_FILLS = (NODE_POD_CIDR, NODE_POD_GATEWAY, NODE_ADDRESS)


def cni_files(shape: Shape) -> list[File]:
    """The network's configuration, and Flannel's own where it runs."""
    row = next(
        (
            row
            for row in rows.rows(CniRow, shape.at)
            if (row.plugin, row.mode, row.runtime) == (shape.plugin, shape.mode, shape.runtime)
        ),
        None,
    )
    if row is None:
        return []
    configuration = _BUILDERS[row.plugin](shape, row)
    text = _text(configuration)
    fills = tuple(name for name in _FILLS if f"{{{{{name}}}}}" in text)
    files = [
        File(
            path=f"{shape.places['cni_conf']}\\{row.file}",
            content=text,
            acl="",
            why=row.id,
            fills=fills,
        )
    ]
    if shape.plugin == "flannel":
        files.append(
            File(
                path=f"{shape.places['flannel_conf']}\\net-conf.json",
                content=_text(_flannel_network(shape)),
                acl="",
                why=shape.mode_row.id if shape.mode_row else row.id,
            )
        )
    return files


def _flannel(shape: Shape, row: CniRow) -> Json:
    delegate: Json = {"type": row.delegate, **_endpoint(shape, row)}
    if row.policies == "v2":
        delegate["apiVersion"] = 2
    plugin: Json = {
        "type": row.plugin_type,
        "capabilities": _capabilities(row),
        "delegate": delegate,
    }
    return _wrapped(shape, row, plugin)


def _reference_plugin(shape: Shape, row: CniRow) -> Json:
    plugin: Json = {
        "type": row.plugin_type,
        "capabilities": _capabilities(row),
        "ipam": {"type": "host-local", "subnet": "{{" + NODE_POD_CIDR + "}}"},
        **_endpoint(shape, row),
    }
    if row.policies == "v2":
        plugin["apiVersion"] = 2
    return _wrapped(shape, row, plugin)


def _wincni(shape: Shape, row: CniRow) -> Json:
    return _wrapped(
        shape,
        row,
        {
            "type": row.plugin_type,
            "master": "Ethernet",
            "ipam": _wincni_ipam(shape),
            "dns": {"Nameservers": list(shape.fleet.network.cluster_dns)},
            "AdditionalArgs": _policies(shape, row),
        },
    )


def _wincni_ipam(shape: Shape) -> Json:
    plugin = shape.fleet.network.plugin
    place = plugin.environment if isinstance(plugin, WinCNISpec) else None
    return {
        **({"environment": place} if place else {}),
        "subnet": "{{" + NODE_POD_CIDR + "}}",
        "routes": [{"GW": "{{" + NODE_POD_GATEWAY + "}}"}],
    }


def _azure(shape: Shape, row: CniRow) -> Json:
    return _wrapped(
        shape,
        row,
        {
            "type": row.plugin_type,
            "mode": "bridge",
            "bridge": shape.network_name,
            "capabilities": _capabilities(row),
            "ipam": {"type": "azure-vnet-ipam"},
            "dns": {"Nameservers": list(shape.fleet.network.cluster_dns)},
            "AdditionalArgs": _policies(shape, row),
            **_loopback(shape, row),
        },
    )


_BUILDERS = {
    "flannel": _flannel,
    "winBridge": _reference_plugin,
    "winOverlay": _reference_plugin,
    "wincni": _wincni,
    "azureCNI": _azure,
}


def _wrapped(shape: Shape, row: CniRow, plugin: Json) -> Json:
    head: Json = {"cniVersion": row.cni_version, "name": shape.network_name}
    return {**head, "plugins": [plugin]} if row.file.endswith(".conflist") else {**head, **plugin}


def _endpoint(shape: Shape, row: CniRow) -> Json:
    return {
        "dns": {
            "nameservers": list(shape.fleet.network.cluster_dns),
            "search": [f"svc.{shape.cluster_domain}"],
        },
        "policies" if row.policies == "v2" else "Policies": _policies(shape, row),
        **_loopback(shape, row),
    }


def _capabilities(row: CniRow) -> Json:
    return dict.fromkeys(row.capabilities, True)


def _loopback(shape: Shape, row: CniRow) -> Json:
    """What lets a pod reach itself by its Service where kube-proxy uses direct server return."""
    if not shape.dsr or not row.loopback_dsr:
        return {}
    *groups, name = row.loopback_dsr.split(".")
    setting: Json = {name: True}
    for group in reversed(groups):
        setting = {group: setting}
    return setting


def _policies(shape: Shape, row: CniRow) -> list[Json]:
    network = shape.fleet.network
    exceptions = [*network.service_cidrs, *network.pod_cidrs]
    if isinstance(network.plugin, WinCNISpec) and network.plugin.node_subnet:
        exceptions.append(network.plugin.node_subnet)
    routes = list(network.service_cidrs)
    if shape.mode == "l2bridge":
        routes.append("{{" + NODE_ADDRESS + "}}/32")
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
    return [{"name": "EndpointPolicy", "value": value} for value in values]


def _flannel_network(shape: Shape) -> Json:
    if shape.mode == "overlay":
        backend: Json = {
            "Type": FLANNEL_BACKENDS[NetworkMode.OVERLAY],
            "VNI": shape.vni,
            "Port": shape.port,
            "Name": shape.network_name,
        }
    else:
        backend = {"Type": FLANNEL_BACKENDS[NetworkMode.L2BRIDGE], "Name": shape.network_name}
    return {"Network": _first_ipv4(shape.fleet.network.pod_cidrs), "Backend": backend}


def _first_ipv4(cidrs: Sequence[str]) -> str:
    networks = (ipaddress.ip_network(cidr, strict=False) for cidr in cidrs)
    return next(str(n) for n in networks if isinstance(n, ipaddress.IPv4Network))


def _text(document: Json) -> str:
    return json.dumps(document, indent=2) + "\n"
