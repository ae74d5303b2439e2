"""Everything outside that work on a fleet reaches for, as one value."""

from collections.abc import Awaitable, Callable
from dataclasses import field
from datetime import datetime

from transom.fleet.on_host.program import Bring
from transom.fleet.on_host.run import Connect
from transom.fleet.on_host.upload import Holdings
from transom.fleet.turning import Clock
from transom.kube.api import Api
from transom.kube.door import Door
from transom.model.fleet import Host
from transom.model.records import dataclass
from transom.model.request import SourceAccess


@dataclass(frozen=True, slots=True, kw_only=True)
class FleetDoors:
    """The cluster, the way to each host, the time, and where the node program and artifacts come from.

    `api` and `objects` are None without a kubeconfig; then `token` gives the bootstrap token that the
    fleet names. What `holdings` has is uploaded to hosts, which then download nothing of it; `access`
    is what they trust and say where they download themselves. With the text of a `node_kubeconfig` hosts
    join without kubeadm and no token is made. `holder` is written on what is held meanwhile.
    """

    api: Api | None
    connect: Callable[[Host], Connect]
    clock: Clock
    now: Callable[[], datetime]
    bring: Bring
    parallel: int
    token: Callable[[], Awaitable[str]] | None = None
    objects: Door | None = None
    holdings: Holdings | None = None
    access: SourceAccess = field(default_factory=SourceAccess)
    node_kubeconfig: str = field(default="", repr=False)
    holder: str = ""
