"""The hosts of a Fleet document: merged from three levels, and consistent with each other.

What a schema cannot say: names and addresses given twice, pools that do not exist, a release that
no level gives. Works on documents that have other mistakes too, and then passes over those.
"""

import ipaddress
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from transom.spec.fault import Fault, Path, dotted
from transom.spec.shape import merge
from transom.spec.v1alpha1.host import HOST
from transom.spec.validation import suggestions

_HOSTS: Path = ("spec", "hosts")
_POOLS: Path = ("spec", "pools")


def merged_hosts(spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Each host of a valid document with its pool's and the fleet's defaults beneath it."""
    defaults = spec.get("defaults", {})
    levels = {
        pool["name"]: merge(HOST, defaults, {k: v for k, v in pool.items() if k != "name"})
        for pool in spec.get("pools", ())
    }
    return [
        merge(HOST, levels[host["pool"]] if "pool" in host else defaults, host)
        for host in spec.get("hosts", ())
    ]


def host_faults(value: Any) -> Iterator[Fault]:
    """Every way in which hosts and pools contradict each other."""
    spec = _map(_map(value).get("spec"))
    pools = _maps(spec.get("pools"))
    hosts = _maps(spec.get("hosts"))
    yield from _repeated(pools, _POOLS, "name", str)
    yield from _repeated(hosts, _HOSTS, "name", str.lower)
    yield from _repeated(_with_addresses(hosts), _HOSTS, "address", _same_address)
    named = {pool["name"]: pool for _, pool in pools if isinstance(pool.get("name"), str)}
    defaults = _map(spec.get("defaults"))
    for index, host in hosts:
        pool = str(host.get("pool", ""))
        if pool not in named and isinstance(host.get("pool"), str):
            yield _no_pool((*_HOSTS, index, "pool"), pool, list(named))
        elif not any("windows" in level for level in (defaults, named.get(pool, {}), host)):
            yield Fault(
                (*_HOSTS, index),
                "nothing says which Windows Server release this host runs",
                "Give `windows: {release: ...}` to the host, its pool or `defaults`.",
            )
    yield from _gone(spec, defaults, pools, hosts)
    yield from _taint_faults(("spec", "defaults"), defaults)
    for parent, levels in ((_POOLS, pools), (_HOSTS, hosts)):
        for index, level in levels:
            yield from _taint_faults((*parent, index), level)


def _gone(
    spec: Mapping[str, Any],
    defaults: Mapping[str, Any],
    pools: list[tuple[int, dict[str, Any]]],
    hosts: list[tuple[int, dict[str, Any]]],
) -> Iterator[Fault]:
    """What could be written and never worked, or has no place any more."""
    levels: list[tuple[Path, Mapping[str, Any]]] = [(("spec", "defaults"), defaults)]
    levels += [((*_POOLS, index), pool) for index, pool in pools]
    levels += [((*_HOSTS, index), host) for index, host in hosts]
    for path, level in levels:
        if level.get("role") == "control-plane":
            text = "Kubernetes runs on Windows as a worker only"
            yield Fault(
                (*path, "role"), text, "Remove the key, or use Linux for the control plane."
            )
    if "weave" in _map(spec.get("network")):
        text = "Weave does not run on Windows"
        yield Fault(("spec", "network", "weave"), text, "Use Flannel or Calico.", at_key=True)
    for index, host in hosts:
        if "upgrade" in host:
            text = "how nodes are upgraded is said of a pool, not of one host"
            hint = "Move it to the host's pool, or to `defaults`."
            yield Fault((*_HOSTS, index, "upgrade"), text, hint, at_key=True)
    local = [index for index, host in hosts if "local" in _map(host.get("connection"))]
    above = [
        path for path, level in levels[: len(pools) + 1] if "local" in _map(level.get("connection"))
    ]
    for path in above if len(hosts) > 1 else ():
        yield Fault((*path, "connection", "local"), "Transom runs on one host, not on several",
                    "Write `local: {}` in that host.", at_key=True)  # fmt: skip
    for index in local[1:]:
        text = f"{dotted((*_HOSTS, local[0]))} is local already, and Transom runs on one host"
        hint = "Give the others `ssh` or `winrm`."
        yield Fault((*_HOSTS, index, "connection", "local"), text, hint, at_key=True)


def _map(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _maps(value: Any) -> list[tuple[int, dict[str, Any]]]:
    items = value if isinstance(value, list) else []
    return [(index, item) for index, item in enumerate(items) if isinstance(item, dict)]


def _with_addresses(hosts: list[tuple[int, dict[str, Any]]]) -> list[tuple[int, dict[str, Any]]]:
    """The hosts, with their name as the address where they have none and another one has that."""
    given = {host["address"] for _, host in hosts if isinstance(host.get("address"), str)}
    return [
        (index, {"address": name, **host} if isinstance(name, str) and name in given else host)
        for index, host in hosts
        for name in (host.get("name"),)
    ]


def _same_address(text: str) -> str:
    try:
        return str(ipaddress.ip_address(text))
    except ValueError:
        return text.lower().rstrip(".")


def _repeated(
    items: list[tuple[int, dict[str, Any]]], parent: Path, key: str, same: Callable[[str], str]
) -> Iterator[Fault]:
    first: dict[str, int] = {}
    for index, item in items:
        text = item.get(key)
        if not isinstance(text, str):
            continue
        earlier = first.setdefault(same(text), index)
        if earlier != index:
            where = dotted((*parent, earlier))
            yield Fault((*parent, index, key), f"{where} has the same {key}, `{text}`")


def _no_pool(path: Path, pool: str, known: list[str]) -> Fault:
    near = suggestions(pool, known)
    if near:
        hint = f"Did you mean {' or '.join(f'`{name}`' for name in near)}?"
    elif known:
        hint = f"The pools are {', '.join(f'`{name}`' for name in known)}."
    else:
        hint = "Add it to `spec.pools`, or remove the key."
    return Fault(path, f"there is no pool `{pool}`", hint)


def _taint_faults(path: Path, level: Mapping[str, Any]) -> Iterator[Fault]:
    seen = set()
    for index, taint in _maps(level.get("taints")):
        key, effect = taint.get("key"), taint.get("effect")
        if not isinstance(key, str) or not isinstance(effect, str):
            continue
        if (key, effect) in seen:
            yield Fault(
                (*path, "taints", index), f"`{key}` has the effect {effect} twice in this list"
            )
        seen.add((key, effect))
