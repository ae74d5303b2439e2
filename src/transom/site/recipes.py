"""What would be installed on each host of a file's fleets, by its lock; nothing is touched."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from transom.errors import UsageError
from transom.model.fleet import Fleet
from transom.model.lock import Lock
from transom.model.recipe import Recipe
from transom.recipe.lock import apply_lock
from transom.recipe.resolve import resolve
from transom.site.locks import LockedFleets


def recipes_of(
    locked: LockedFleets, hosts: Sequence[str], detected: Mapping[str, tuple[str, ...]]
) -> list[Recipe]:
    """Resolve the named hosts, or all; `detected` has the runtimes that hosts were seen to have."""
    wanted = set(hosts)
    recipes: list[Recipe] = []
    for fleet in locked.fleets:
        mine = [host.name for host in fleet.hosts if host.name in wanted]
        wanted -= set(mine)
        if mine or not hosts:
            found = resolve(fleet, hosts=mine, detected_runtimes=detected)
            recipes += _by_lock(fleet, found, locked.lock)
    if wanted:
        raise UsageError(
            f"no fleet in {locked.file} has a host {', '.join(sorted(wanted))}",
            subject=locked.file,
            hint="`transom recipe` without --host shows them all",
        )
    return recipes


def _by_lock(fleet: Fleet, recipes: Sequence[Recipe], lock: Lock) -> list[Recipe]:
    mirrors = fleet.source.mirrors
    return [
        replace(recipe, artifacts=apply_lock(recipe.artifacts, lock, mirrors=mirrors).artifacts)
        for recipe in recipes
    ]


def runtimes_in(inventory: bytes, *, name: str) -> dict[str, tuple[str, ...]]:
    """Read the runtimes of each host from inventories as the node program prints them."""
    try:
        return _runtimes(json.loads(inventory))
    except (ValueError, RecursionError) as error:
        raise UsageError(
            f"{name} is not an inventory",
            subject=name,
            hint='it is JSON such as {"win-01": {"runtimes": ["containerd"]}}',
        ) from error


def _runtimes(inventories: Any) -> dict[str, tuple[str, ...]]:
    by_host = {}
    for host, found in inventories.items() if isinstance(inventories, dict) else [("", None)]:
        runtimes = found.get("runtimes") if isinstance(found, dict) else None
        if not isinstance(runtimes, list) or not all(isinstance(name, str) for name in runtimes):
            raise ValueError(f"no list `runtimes` of host {host!r}" if host else "no map of hosts")
        by_host[host] = tuple(runtimes)
    return by_host
