"""Load balancers, which is how HNS programs a Service: what it refuses, and when it replaces one."""

from transom_lab.hns.errors import Code, HnsFailureError
from transom_lab.hns.store import Entry, Json, Kind, Store

UPDATE_SINCE = (15, 5)
"""The HNS version from which a load balancer can be changed instead of made anew."""

_IPV6 = 2
Frontend = tuple[str, int, int, int]


class Balancers:
    """Makes and changes load balancers in a store, for one HNS version."""

    def __init__(self, store: Store, version: tuple[int, int]) -> None:
        self._store = store
        self._version = version

    def create(self, document: Json, wanted: str = "") -> Entry:
        """Check and store a load balancer."""
        self._check(document, known="")
        return self._store.add(Kind.LOAD_BALANCER, document, wanted=wanted)

    def modify(self, balancer: Entry, document: Json) -> None:
        """Replace a load balancer's document."""
        if self._version < UPDATE_SINCE:
            raise HnsFailureError(Code.NOT_IMPLEMENTED)
        self._check(document, known=balancer.id)
        balancer.document = {**document, "ID": balancer.id}

    def _check(self, document: Json, *, known: str) -> None:
        mappings = document.get("PortMappings")
        if not mappings:
            raise HnsFailureError(Code.PARAMETER)
        if not all(mapping.get("InternalPort") for mapping in mappings):
            raise HnsFailureError(Code.INTERNAL_PORT)
        for target in document.get("HostComputeEndpoints") or []:
            self._store.get(Kind.ENDPOINT, target)
        for other in self._store.all(Kind.LOAD_BALANCER):
            if other.id != known and frontends(other.document) & frontends(document):
                # No VIP is a port of the host itself, which its TCP stack keeps reserved.
                taken = Code.FILE_EXISTS if document.get("FrontendVIPs") else Code.PORT_EXISTS
                raise HnsFailureError(taken)


def frontends(document: Json) -> set[Frontend]:
    """What a load balancer answers on: address, protocol, port, family."""
    return {
        (vip, m.get("Protocol", 0), m.get("ExternalPort", 0), document.get("Flags", 0) & _IPV6)
        for vip in document.get("FrontendVIPs") or [""]
        for m in document["PortMappings"]
    }
