"""Calico's address pools against the fleet: how packets travel must be what Windows nodes can do. Pure."""

import ipaddress
from collections.abc import Iterable, Iterator
from typing import Any

from transom.addons.setting import Setting
from transom.facts import rows
from transom.facts.addons import Provision
from transom.model.manifest import Manifest
from transom.model.problem import Refusal

API_VERSION, KIND = "crd.projectcalico.org/v1", "IPPool"
_NEVER = "Never"


def mode_of(pools: Iterable[Manifest]) -> str:
    """The mode of a fleet that goes with the pools; empty where there is none, or no single one."""
    specs: list[Any] = [pool.get("spec") or {} for pool in pools]
    ways = {
        (spec.get("vxlanMode") or _NEVER, spec.get("ipipMode") or _NEVER)
        for spec in specs
        if not spec.get("disabled")
    }
    return {("Always", _NEVER): "overlay", (_NEVER, _NEVER): "l2bridge"}.get(
        next(iter(ways)) if len(ways) == 1 else ("", ""), ""
    )


def pool_reasons(setting: Setting, pools: Iterable[Manifest]) -> Iterator[Refusal]:
    """A reason for each pool of IPv4 addresses that Windows nodes cannot share."""
    overlay = setting.network.mode == "overlay"
    wanted = {"vxlanMode": "Always" if overlay else _NEVER, "ipipMode": _NEVER}
    row = rows.one(Provision, f"provision-calico-pool-{'vxlan' if overlay else 'bgp'}", setting.at)
    for pool in pools:
        spec: Any = pool.get("spec") or {}
        of_ipv4 = isinstance(
            ipaddress.ip_network(spec["cidr"], strict=False), ipaddress.IPv4Network
        )
        if spec.get("disabled") or not of_ipv4:
            continue
        for key, value in wanted.items():
            found = spec.get(key) or _NEVER
            if found != value:
                yield Refusal(
                    id=row.id,
                    subject=f"IPPool {pool['metadata']['name']}, {key}",
                    found=found,
                    reason=f"{setting.network.mode} needs {row.text}",
                    fix=f"Set {key}: {value}, or change the fleet's mode.",
                    source=row.source,
                )
