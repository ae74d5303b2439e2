"""Which hosts are disturbed together, and in what order. Pure.

A wave is hosts of one pool, as many as may be
away at once, whoever took them: nodes that are away already come first, for they cost nothing and may
be mended by it, and every other one must leave room for those that stay away. Pools come in the order
in which the fleet first names them, hosts in the fleet's order.
"""

from collections.abc import Collection, Iterable, Mapping

from transom.errors import TemporaryError
from transom.fleet.work.cordon import cordon_of
from transom.kube.api import Node
from transom.model.fleet import Fleet, Host
from transom.model.records import dataclass

_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Away:
    """Why a host's node takes no pods; `lasts` where work on the host does not end that."""

    why: str
    lasts: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Hosts of which `limit` may be away at once; `name` is empty for those without a pool.

    A wave waits `pause_s` after the one before.
    """

    name: str
    hosts: tuple[str, ...]
    limit: int
    pause_s: int = 0


def pools_of(fleet: Fleet) -> tuple[Pool, ...]:
    """The pools that have hosts."""
    members: dict[str, list[Host]] = {}
    for host in fleet.hosts:
        members.setdefault(host.pool or "", []).append(host)
    return tuple(
        Pool(
            name=name,
            hosts=tuple(host.name for host in hosts),
            # Hosts of one pool may differ; the most careful of them decides for all.
            limit=min(_limit(host.upgrade.max_unavailable, len(hosts)) for host in hosts),
            pause_s=max(host.upgrade.pause_s for host in hosts),
        )
        for name, hosts in members.items()
    )


def away_of(fleet: Fleet, nodes: Iterable[Node]) -> dict[str, Away]:
    """The hosts whose nodes take no pods now, and why."""
    known = {node.name: node for node in nodes}
    found = {host.name: _away(known.get(host.node_name)) for host in fleet.hosts}
    return {name: away for name, away in found.items() if away is not None}


def next_wave(pool: Pool, hosts: Collection[str], away: Collection[str]) -> tuple[str, ...]:
    """Those of these hosts to disturb now; none where the pool has no room for another."""
    left = [name for name in pool.hosts if name in hosts]
    first = [name for name in left if name in away][: pool.limit]
    room = pool.limit - sum(name in away for name in pool.hosts)
    rest = [name for name in left if name not in away][: max(room, 0)]
    return (*first, *rest)


def waves_of(
    fleet: Fleet, hosts: Collection[str], away: Mapping[str, Away] | None = None
) -> tuple[tuple[str, ...], ...]:
    """The waves if each goes well, up to a pool that has no room for the rest of its hosts."""
    waves: list[tuple[str, ...]] = []
    left, still = set(hosts), dict(away or {})
    for pool in pools_of(fleet):
        while not left.isdisjoint(pool.hosts):
            wave = next_wave(pool, left, still)
            if not wave:
                return tuple(waves)
            waves.append(wave)
            left.difference_update(wave)
            still = {name: why for name, why in still.items() if name not in wave or why.lasts}
    return tuple(waves)


def no_room(pool: Pool, away: Mapping[str, Away]) -> TemporaryError:
    """Why no host of this pool can be disturbed now, and what to do about that."""
    count = sum(name in away for name in pool.hosts)
    of = f"pool {pool.name}" if pool.name else "the hosts without a pool"
    return TemporaryError(
        f"of {of} at most {pool.limit} of {len(pool.hosts)} nodes may be away at once "
        f"(rollout.maxUnavailable), and {count} {'is' if count == 1 else 'are'}: "
        f"{named_away(pool, away)}",
        subject=pool.name,
        hint="mend, join or uncordon what is away, or raise maxUnavailable, and run the same command again",
    )


def named_away(pool: Pool, away: Mapping[str, Away]) -> str:
    """Who of the pool is away and why, in words."""
    names = [name for name in pool.hosts if name in away]
    said = "; ".join(f"{name} ({away[name].why})" for name in names[:_SHOWN])
    return said + (f"; and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


def nothing_begun(
    fleet: Fleet, hosts: Collection[str], away: Mapping[str, Away]
) -> TemporaryError | None:
    """Why not one of these hosts can be disturbed; None where one can, or there are none."""
    if not hosts or waves_of(fleet, hosts, away):
        return None
    first = next(pool for pool in pools_of(fleet) if not {*pool.hosts}.isdisjoint(hosts))
    return no_room(first, away)


def _away(node: Node | None) -> Away | None:
    if node is None:
        return Away(why="no Node: not joined yet, or deleted")
    held = cordon_of(node)
    if node.unschedulable and held is None:
        silent = "" if node.ready else ", and NotReady"
        return Away(why=f"cordoned by somebody else{silent}", lasts=True)
    if not node.ready:
        return Away(why=f"NotReady: {node.problem or 'its kubelet is silent'}")
    if held is not None:
        return Away(why=f"cordoned {held.said}, in a run that did not come to its end")
    return None


def _limit(wish: int | str, count: int) -> int:
    if isinstance(wish, int):
        return max(wish, 1)
    return max(count * int(wish.removesuffix("%")) // 100, 1)
