"""What a network or an extra needs that only its owner can give, as a list to work through. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from transom.addons.setting import Setting
from transom.facts import rows
from transom.facts.addons import Provision
from transom.model.manifest import Manifest

_WINDOWS = "windows"


def provisions(
    setting: Setting, nodes: Iterable[Manifest] = (), *, extras: Sequence[str] = ()
) -> list[str]:
    """The list; with the cluster's nodes, the routes are in it with their numbers."""
    network = setting.network
    wanted = [
        row
        for row in rows.rows(Provision, setting.at)
        if row.plugin in ("", network.plugin)
        and row.extra in ("", *extras)
        and row.mode in ("", network.mode)
        and row.installer in ("", setting.installer)
    ]
    lines = [row.text for row in wanted]
    if any(row.routes for row in wanted):
        lines += _routes(nodes)
    return lines


def _routes(nodes: Iterable[Manifest]) -> Iterator[str]:
    for node in nodes:
        status: Any = node.get("status") or {}
        system = (status.get("nodeInfo") or {}).get("operatingSystem")
        inner = (a["address"] for a in status.get("addresses") or () if a["type"] == "InternalIP")
        address = next(inner, None)
        if system == _WINDOWS and address:
            for pods in (node.get("spec") or {}).get("podCIDRs") or ():
                yield f"route {pods} via {address} (node {node['metadata']['name']})"
