"""Which hosts are disturbed together, and in what order. Pure.

Called by planning. A wave is what may be away at once: hosts of one pool, as many as its fleet
allows. Pools come in the order in which the fleet first names them, hosts in the fleet's order.
"""

from collections.abc import Collection, Sequence

from transom.model.fleet import Fleet, Host


def waves_of(fleet: Fleet, hosts: Collection[str]) -> tuple[tuple[str, ...], ...]:
    """The waves in which these hosts are disturbed."""
    pools: dict[str, list[Host]] = {}
    for host in fleet.hosts:
        pools.setdefault(host.pool or "", []).append(host)
    return tuple(wave for members in pools.values() for wave in _waves(members, hosts))


def _waves(members: Sequence[Host], hosts: Collection[str]) -> list[tuple[str, ...]]:
    names = [host.name for host in members if host.name in hosts]
    # Hosts of one pool may differ; the most careful of them decides for all.
    size = min(_size(host.upgrade.max_unavailable, len(members)) for host in members)
    return [tuple(names[start : start + size]) for start in range(0, len(names), size)]


def _size(wish: int | str, count: int) -> int:
    if isinstance(wish, int):
        return max(wish, 1)
    return max(count * int(wish.removesuffix("%")) // 100, 1)
