"""A host's network in memory, and an HNS on it."""

import json
from collections.abc import Sequence
from ipaddress import IPv4Interface
from typing import Any

import pytest

from transom_lab.hns.host import Adapter, NetworkCommandError, Route
from transom_lab.hns.service import Answer, Call, Hns
from transom_lab.hns.store import Store

V2 = {"Major": 2, "Minor": 0}
Document = dict[str, Any] | None


class MemoryNetwork:
    """`HostNetwork` without a machine; refuses what a kernel would refuse."""

    def __init__(self) -> None:
        self.found = [
            Adapter("lo", 1, (IPv4Interface("127.0.0.1/8"),)),
            Adapter("eth0", 2, (IPv4Interface("10.0.0.11/24"),)),
        ]
        self.table = [Route("0.0.0.0/0", "10.0.0.1", "eth0")]
        self.forwarding: dict[str, bool] = {}
        self.interruptions: list[tuple[str, float, bool]] = []

    def adapters(self) -> list[Adapter]:
        """Every adapter."""
        return list(self.found)

    def default_adapter(self) -> str:
        """The adapter of the default route."""
        return next((r.adapter for r in self.table if r.prefix == "0.0.0.0/0"), "")

    def routes(self) -> list[Route]:
        """Every route."""
        return list(self.table)

    def add_route(self, route: Route) -> None:
        """Add a route once."""
        if route in self.table:
            raise NetworkCommandError("RTNETLINK answers: File exists")
        self.table.append(route)

    def remove_route(self, route: Route) -> None:
        """Remove a route that is there."""
        if route not in self.table:
            raise NetworkCommandError("RTNETLINK answers: No such process")
        self.table.remove(route)

    def set_forwarding(self, adapter: str, *, enabled: bool) -> None:
        """Remember it."""
        self.forwarding[adapter] = enabled

    def add_interface(self, name: str, mac: str, address: str) -> None:
        """Add an adapter."""
        assert len(mac.split(":")) == 6
        self.found.append(Adapter(name, len(self.found) + 1, (IPv4Interface(address),)))

    def remove_interface(self, name: str) -> None:
        """Remove an adapter."""
        self.found = [a for a in self.found if a.name != name]

    def interrupt(self, adapter: str, *, down_s: float, lose_addresses: bool) -> None:
        """Remember it."""
        self.interruptions.append((adapter, down_s, lose_addresses))


class Driver:
    """Calls an HNS as a program would, with documents instead of text."""

    def __init__(self, **options: Any) -> None:
        self.now = 1000.0
        self.host = MemoryNetwork()
        self.log: list[dict[str, Any]] = []
        self.hns = Hns(Store(), self.host, log=self.log.append, clock=lambda: self.now, **options)

    def raw(
        self, function: str, *, id_: str = "", parent: str = "", document: Document = None
    ) -> Answer:
        """Call a function; the answer as it is."""
        text = "" if document is None else json.dumps(document)
        return self.hns.call(Call(function, "test.exe:1", id_, parent, text))

    def __call__(self, function: str, **arguments: Any) -> str:
        """Call a function that must succeed; its text."""
        answer = self.raw(function, **arguments)
        assert answer.hresult == 0, answer
        return answer.text

    def code(self, function: str, **arguments: Any) -> int:
        """Call a function; its HRESULT."""
        return self.raw(function, **arguments).hresult

    def query(self, kind: str, id_: str, *, major: int = 2) -> dict[str, Any]:
        """The properties of an object, in one of the schemas."""
        wanted = {"SchemaVersion": {"Major": major, "Minor": 0}}
        found: dict[str, Any] = json.loads(
            self(f"HcnQuery{kind}Properties", id_=id_, document=wanted)
        )
        return found

    def ids(self, kind: str, **filters: str) -> list[str]:
        """The ids of the objects that match."""
        document = {"SchemaVersion": V2, "Filter": json.dumps(filters)}
        result: list[str] = json.loads(self(f"HcnEnumerate{kind}s", document=document))
        return result

    def v1(self, method: str, path: str, document: Document = None) -> dict[str, Any]:
        """One HNSCall."""
        result: dict[str, Any] = json.loads(
            self("HNSCall", id_=method, parent=path, document=document)
        )
        return result

    def network(
        self,
        prefix: str = "10.244.1.0/24",
        *,
        name: str = "vxlan0",
        kind: str = "Overlay",
        **members: Any,
    ) -> str:
        """Make a network with one subnet."""
        gateway = prefix.rsplit(".", 1)[0] + ".1"
        subnet = {
            "IpAddressPrefix": prefix,
            "Routes": [{"NextHop": gateway, "DestinationPrefix": "0.0.0.0/0"}],
            "Policies": [{"Type": "VSID", "Settings": {"IsolationId": 4096}}],
        }
        document = {
            "Name": name,
            "Type": kind,
            "SchemaVersion": V2,
            "Ipams": [{"Type": "Static", "Subnets": [subnet]}],
            **members,
        }
        return self("HcnCreateNetwork", document=document)

    def endpoint(self, network: str, address: str = "", **members: Any) -> str:
        """Make an endpoint."""
        document = {"SchemaVersion": V2, **members}
        if address:
            document["IpConfigurations"] = [{"IpAddress": address}]
        return self("HcnCreateEndpoint", parent=network, document=document)

    def balancer(
        self,
        vip: str,
        port: int,
        *,
        endpoints: Sequence[str] = (),
        function: str = "HcnCreateLoadBalancer",
        id_: str = "",
    ) -> Answer:
        """Make or change a load balancer of one port."""
        return self.raw(function, id_=id_, document=balancer_document(vip, port, endpoints))


def balancer_document(vip: str, port: int, endpoints: Sequence[str] = ()) -> dict[str, Any]:
    mapping = {"Protocol": 6, "InternalPort": 8080, "ExternalPort": port}
    return {
        "SchemaVersion": V2,
        "HostComputeEndpoints": list(endpoints),
        "FrontendVIPs": [vip] if vip else [],
        "PortMappings": [mapping],
    }


@pytest.fixture
def hns() -> Driver:
    return Driver()


@pytest.fixture
def new_hns() -> type[Driver]:
    return Driver


@pytest.fixture(scope="session")
def new_hns_factory() -> type[Driver]:
    """The same as `new_hns`, for property tests, which may not use a function's fixture."""
    return Driver
