"""Approving the serving certificate that a node asks for when it joins, and no other.

Used after a join, where the cluster lets kubelets ask (`serverTLSBootstrap`). Only a request of the
very node is approved, made after the join began, for its name and the addresses that the operator
knows: what the host says of itself decides nothing.
"""

import ipaddress
from collections.abc import Iterable, Mapping
from dataclasses import field
from functools import partial

from transom.errors import PermanentError, TemporaryError, TransomError
from transom.fleet.turning import Failed, Waiting
from transom.kube.api import Api, Node
from transom.model.records import dataclass
from transom.model.sight import CertificateRequestSight, RequestState

_SIGNER = "kubernetes.io/kubelet-serving"
_USER = "system:node:"
_USAGES = frozenset({"digital signature", "key encipherment", "server auth"})
# The Service of the API server, by the names that kubeadm puts into its certificate; more follow with
# the cluster's domain.
_API_SERVICE = ("kubernetes", "kubernetes.default", "kubernetes.default.svc")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """A node that has just joined: what it may ask for, and since when (the API server's time).

    `endpoint` is where nodes reach the API server, and `services` the ranges of Services: no node
    may ask for these, whatever its fleet says of it.
    """

    node: str
    names: frozenset[str]
    since: int
    endpoint: str = ""
    services: tuple[str, ...] = ()
    domain: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taken:
    """Names and addresses that are somebody's already, with whose they are."""

    names: Mapping[str, str] = field(default_factory=dict)
    services: tuple[str, ...] = ()

    def by(self, name: str) -> str:
        """Whose a name or an address is; empty where nobody's."""
        if name in self.names:
            return self.names[name]
        return "a Service's" if _is_within(name, self.services) else ""


def is_for(request: CertificateRequestSight, asker: Asker) -> bool:
    """Whether a request is that node's own, of this join."""
    return (
        request.signer == _SIGNER
        and request.username == _USER + asker.node == request.subject
        and request.created >= asker.since
    )


async def approve_serving(api: Api, asker: Asker) -> tuple[str, ...] | Waiting | Failed:
    """Approve the node's request if there is one; what was not approved is said, not raised."""
    try:
        requests = [item for item in await api.request_sights() if is_for(item, asker)]
        if not requests:
            said = f"{asker.node} has not asked for a serving certificate yet"
            return Waiting(error=TemporaryError(said))
        taken = _taken(asker, await api.nodes())
        notes = [await _decide(api, item, asker, taken) for item in requests]
    except TransomError as error:
        said = f"the serving certificate of {asker.node} is not approved: {error.message}"
        if isinstance(error, TemporaryError):
            return Waiting(error=TemporaryError(said))
        return Failed(PermanentError(said))
    return tuple(note for note in notes if note)


async def _decide(api: Api, request: CertificateRequestSight, asker: Asker, taken: _Taken) -> str:
    """Approve a request if it deserves it; empty where it is approved, by whomever."""
    if request.state is RequestState.APPROVED:
        return ""
    why = await api.approve(
        request.name,
        reason=f"transom apply joined {asker.node}",
        judge=partial(_why_not, asker=asker, taken=taken),
    )
    return f"{request.name} of {asker.node} is not approved: {why}" if why else ""


def _why_not(request: CertificateRequestSight, asker: Asker, taken: _Taken) -> str:
    """Why a request is not approved; empty where it is."""
    if not is_for(request, asker):
        return "it is no longer the request that this join made"
    if request.state is not RequestState.PENDING:
        return f"it was {request.state.value} before"
    if request.unreadable:
        return f"its names cannot be read: {request.unreadable}"
    too_much = [usage for usage in request.usages if usage not in _USAGES]
    if too_much:
        return f"it asks for the usages {', '.join(too_much)}, which no serving certificate has"
    return _why_not_named(request, {_plain(name) for name in asker.names}, taken)


def _why_not_named(request: CertificateRequestSight, known: set[str], taken: _Taken) -> str:
    if not request.names:
        return "it asks for no name"
    foreign = [_said(name, taken) for name in request.names if _is_foreign(name, known, taken)]
    if not foreign:
        return ""
    return (
        f"it asks for {', '.join(foreign)}; the fleet does not know this as the host's. "
        f"Look at it with `kubectl describe csr {request.name}`; if it is right, "
        f"`kubectl certificate approve {request.name}`"
    )


def _is_foreign(name: str, known: set[str], taken: _Taken) -> bool:
    return _plain(name) not in known or bool(taken.by(_plain(name)))


def _said(name: str, taken: _Taken) -> str:
    whose = taken.by(_plain(name))
    return f"{name} ({whose})" if whose else name


def _taken(asker: Asker, nodes: Iterable[Node]) -> _Taken:
    """What is the API server's, a Service's or another Node's."""
    server = "the API server's"
    names = {
        _plain(name): f"node {node.name}'s"
        for node in nodes
        if node.name != asker.node
        for name in (node.name, *node.addresses)
    }
    names |= dict.fromkeys((*_API_SERVICE, *_with_domain(asker.domain)), server)
    host = asker.endpoint.rpartition(":")[0].strip("[]")
    return _Taken(names=names | {_plain(host): server}, services=asker.services)


def _with_domain(domain: str) -> tuple[str, ...]:
    return (f"{_API_SERVICE[-1]}.{domain.lower()}",) if domain else ()


def _plain(name: str) -> str:
    """A name or an address in the one way it is compared."""
    try:
        return str(ipaddress.ip_address(name))
    except ValueError:
        return name.lower()


def _is_within(name: str, ranges: Iterable[str]) -> bool:
    try:
        address = ipaddress.ip_address(name)
        return any(address in ipaddress.ip_network(one, strict=False) for one in ranges)
    except ValueError:
        return False


def names_of(node: str, known: Iterable[str]) -> frozenset[str]:
    """What a node may be called in a certificate: its name, and what the operator knows it by."""
    return frozenset({node, *(name for name in known if name)})
