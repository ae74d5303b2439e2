"""The doors of a fleet: its cluster, the way to each host, and where its node program comes from.

Made of the fleet and of what the machine brings; none is opened before it is needed.
"""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from transom.errors import UsageError
from transom.fleet.doors import FleetDoors
from transom.fleet.on_host.program import Brought
from transom.fleet.turning import RealClock
from transom.model.fleet import Fleet, Host
from transom.model.lock import Lock
from transom.model.records import dataclass
from transom.model.request import SourceAccess

if TYPE_CHECKING:
    from transom.fleet.on_host.run import Connect
    from transom.kube.api import Api
    from transom.site.credentials import Secrets
    from transom.site.downloads import Fetchers


@dataclass(frozen=True, kw_only=True)
class Means:
    """What this machine brings to work on a fleet.

    `folder` is what paths of the fleet are relative to, `python` a package for hosts instead of a download,
    `access` what hosts trust and say where they download themselves, `holder` who works on nodes from here.
    """

    secrets: "Secrets"
    connect: "Callable[[Host], Connect]"
    fetchers: "Callable[[], Fetchers]"
    folder: Path
    access: SourceAccess
    parallel: int
    holder: str
    python: str | Path | None = None


def doors_of(fleet: Fleet, lock: Lock, api: "Api | None", means: Means) -> FleetDoors:
    """Give the doors to the hosts and the cluster."""
    return FleetDoors(
        api=api,
        connect=means.connect,
        clock=RealClock(),
        now=lambda: datetime.now(UTC),
        bring=_brought_once(fleet, lock, means),
        parallel=means.parallel,
        token=_token(fleet, means.secrets),
        objects=api.door if api is not None else None,
        access=means.access,
        holder=means.holder,
    )


def _brought_once(fleet: Fleet, lock: Lock, means: Means) -> Callable[[], Brought]:
    """The node program and its Python, made when the first host needs them."""
    kept: list[Brought] = []

    def bring() -> Brought:
        from transom.fleet.on_host.interpreter import local_package
        from transom.site.node_program import brought_of

        if not kept:
            package = means.python or local_package(fleet.source, means.folder)
            kept.append(brought_of(package, lock, fleet.source, means.fetchers()))
        return kept[0]

    return bring


def _token(fleet: Fleet, secrets: "Secrets") -> Callable[[], Awaitable[str]] | None:
    """The bootstrap token that the fleet names, fetched when a host needs it."""
    place = fleet.cluster.token_from
    if place is None:
        return None

    async def token() -> str:
        from transom.node.kubernetes.join_configuration import TOKEN

        found = await secrets.value(place, of=f"joining fleet {fleet.name}")
        if TOKEN.fullmatch(found) is None:
            raise UsageError(
                f"what fleet {fleet.name} names as bootstrapToken is no bootstrap token",
                subject=fleet.name,
                hint="it is six letters or digits, a dot, and sixteen more: `kubeadm token create`",
            )
        return found

    return token
