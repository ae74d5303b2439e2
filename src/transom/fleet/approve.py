"""Approving the serving certificate that a node asks for when it joins, and no other.

Called after a join, where the cluster lets kubelets ask (`serverTLSBootstrap`). Only a request of the
very node is approved, for its name and the addresses read on the host, made after the join began.
"""

from collections.abc import Iterable

from transom.errors import TransomError
from transom.fleet.run import Clock
from transom.kube.api import Api
from transom.model.records import dataclass
from transom.model.sight import CertificateRequestSight, RequestState

_SIGNER = "kubernetes.io/kubelet-serving"
_USER = "system:node:"
_USAGES = frozenset({"digital signature", "key encipherment", "server auth"})
_WAIT_S = 60.0
_POLL_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """A node that has just joined: what it may ask for, and since when (the API server's time)."""

    node: str
    names: frozenset[str]
    since: int


def is_for(request: CertificateRequestSight, asker: Asker) -> bool:
    """Whether a request is that node's own, of this join."""
    return (
        request.signer == _SIGNER
        and request.username == _USER + asker.node == request.subject
        and request.created >= asker.since
    )


def excess(request: CertificateRequestSight, asker: Asker) -> tuple[str, ...]:
    """What a request asks for beyond what the host is; nothing means that it can be approved."""
    names = {name.lower() for name in asker.names}
    foreign = [name for name in request.names if name.lower() not in names]
    usages = [usage for usage in request.usages if usage not in _USAGES]
    return (*foreign, *usages)


async def approve_serving(api: Api, asker: Asker, clock: Clock) -> tuple[str, ...]:
    """Wait for the node's request and approve it; what was not approved is said, not raised."""
    deadline = clock.monotonic() + _WAIT_S
    try:
        while True:
            requests = [item for item in await api.request_sights() if is_for(item, asker)]
            if requests:
                notes = [await _decide(api, item, asker) for item in requests]
                return tuple(note for note in notes if note)
            if clock.monotonic() + _POLL_S > deadline:
                return (f"{asker.node} has not asked for a serving certificate yet",)
            await clock.sleep(_POLL_S)
    except TransomError as error:
        return (f"the serving certificate of {asker.node} is not approved: {error.message}",)


async def _decide(api: Api, request: CertificateRequestSight, asker: Asker) -> str:
    if request.state is not RequestState.PENDING:
        return ""
    too_much = excess(request, asker)
    if too_much:
        return (
            f"{request.name} of {asker.node} is not approved: it asks for {', '.join(too_much)}, "
            "which is not the host's"
        )
    await api.approve(request.name, reason=f"transom apply joined {asker.node}")
    return ""


def names_of(node: str, computer: str, addresses: Iterable[str]) -> frozenset[str]:
    """What a host may call itself in a certificate."""
    return frozenset({node, computer, *addresses})
