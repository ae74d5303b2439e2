"""The live kube-flannel-cfg against the fleet: Windows and Linux must say the same. Pure.

Transom never patches it: every Linux node would lose its pod network meanwhile. What differs is
refused, with the patch, the order of restarts and what is cut.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from transom.addons.setting import Setting
from transom.facts import rows
from transom.facts.network import ModeRow, MtuRow
from transom.facts.rows import Row
from transom.model.fleet import FLANNEL_BACKENDS, NetworkMode
from transom.model.manifest import ObjectName
from transom.model.problem import Refusal
from transom.model.records import dataclass

# Where Flannel's own manifest puts it, now and before.
PLACES = (
    ObjectName("v1", "ConfigMap", "kube-flannel", "kube-flannel-cfg"),
    ObjectName("v1", "ConfigMap", "kube-system", "kube-flannel-cfg"),
)
KEY = "net-conf.json"
_DAEMON_SET = "kube-flannel-ds"


@dataclass(frozen=True, slots=True)
class Live:
    """What a cluster has: the ConfigMap's name and its net-conf.json."""

    name: ObjectName
    text: str


def wanted(setting: Setting) -> dict[str, Any]:
    """The net-conf.json that every node of this fleet's cluster must have."""
    network = setting.network
    backend: dict[str, Any] = {"Type": FLANNEL_BACKENDS[NetworkMode(network.mode)]}
    if network.mode == "overlay":
        backend |= {"VNI": network.vni, "Port": network.port}
    return {"Network": network.pod_cidrs[0], "Backend": backend}


def disagreements(setting: Setting, live: Live | None) -> list[Refusal]:
    """Every reason why Windows nodes could not take part in this Flannel."""
    row = _mode_row(setting)
    if live is None:
        return [
            Refusal(
                id=row.id,
                subject=f"ConfigMap {PLACES[0].namespace}/{PLACES[0].name}",
                found="none",
                reason="Windows nodes join the Flannel that Linux nodes have, and there is none",
                fix=f"Install Flannel on the Linux nodes with {KEY} {json.dumps(wanted(setting))}.",
                source=row.source,
            )
        ]
    try:
        found = json.loads(live.text)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not isinstance(found.get("Backend"), dict):
        return [_refusal(row, live, KEY, "no readable JSON", "it must be Flannel's configuration")]
    return list(_differences(setting, live, found))


def remedy(setting: Setting, live: Live) -> str:
    """The patch, the order of restarts and what is cut, for a person to decide on."""
    space, name = live.name.namespace, live.name.name
    patch = json.dumps({"data": {KEY: json.dumps(_patched(setting, live))}})
    return "\n".join(
        [
            "Transom does not change the Linux side. To do it yourself, in this order:",
            f"  1. kubectl -n {space} patch configmap {name} --type merge -p '{patch}'",
            f"  2. kubectl -n {space} rollout restart daemonset {_DAEMON_SET}",
            f"  3. kubectl -n {space} rollout status daemonset {_DAEMON_SET}",
            "  4. transom addons apply",
            "Between 2 and 3 pods on nodes that restarted do not reach pods on nodes that did not:",
            "pod traffic between nodes is cut until the last one is done; traffic within a node stays.",
        ]
    )


def _patched(setting: Setting, live: Live) -> dict[str, Any]:
    try:
        found = json.loads(live.text)
    except ValueError:
        found = {}
    ours = wanted(setting)
    theirs: dict[str, Any] = found if isinstance(found, dict) else {}
    backend = theirs.get("Backend")
    if not isinstance(backend, dict) or backend.get("Type") != ours["Backend"]["Type"]:
        return {**theirs, **ours}
    kept = {key: value for key, value in backend.items() if key != "DirectRouting"}
    mtu = {"MTU": setting.network.mtu} if "MTU" in backend else {}
    return {**theirs, **ours, "Backend": {**kept, **ours["Backend"], **mtu}}


def _differences(setting: Setting, live: Live, found: Mapping[str, Any]) -> Iterator[Refusal]:
    row, ours, backend = _mode_row(setting), wanted(setting), found["Backend"]
    kind = str(backend.get("Type"))
    if kind != ours["Backend"]["Type"]:
        reason = f"{setting.network.mode} on Windows is {ours['Backend']['Type']} on Linux"
        yield _refusal(row, live, "Backend.Type", kind, reason)
    elif setting.network.mode == "overlay":
        for key in ("VNI", "Port"):
            if backend.get(key) != ours["Backend"][key]:
                said = str(backend[key]) if key in backend else "unset, so the one of Linux"
                reason = f"Windows takes only {ours['Backend'][key]}, and every node needs the same"
                yield _refusal(row, live, f"Backend.{key}", said, reason)
        if backend.get("DirectRouting"):
            reason = "flanneld on Windows does not start with it"
            yield _refusal(row, live, "Backend.DirectRouting", "true", reason)
    if found.get("Network") != ours["Network"]:
        reason = f"the fleet says network.podCIDRs {ours['Network']}"
        yield _refusal(row, live, "Network", str(found.get("Network")), reason)
    yield from _mtu(setting, live, backend)


def _mtu(setting: Setting, live: Live, backend: Mapping[str, Any]) -> Iterator[Refusal]:
    ours, theirs = setting.network.mtu, backend.get("MTU")
    row = rows.find(MtuRow, f"mtu-{setting.network.mode}", setting.at)
    if row is not None and theirs is not None and theirs != ours:
        yield _refusal(row, live, "Backend.MTU", str(theirs), f"the fleet's nodes use {ours}")


def _mode_row(setting: Setting) -> ModeRow:
    return rows.one(ModeRow, f"mode-flannel-{setting.network.mode}", setting.at)


def _refusal(row: Row, live: Live, key: str, found: str, reason: str) -> Refusal:
    return Refusal(
        id=row.id,
        subject=f"{live.name}, {KEY}, {key}",
        found=found,
        reason=reason,
        fix="Change the fleet, or the Linux side as shown below.",
        source=row.source,
    )
