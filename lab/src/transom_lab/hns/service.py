"""One host's HNS: every function of the DLLs, answered from the store.

`Hns.call` is the only way in, for the wire server and for tests; it never raises for what a
caller may send. Every call is handed to the log.
"""

import json
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from transom_lab.hns.balancers import Balancers
from transom_lab.hns.cmdlets import run_cmdlet
from transom_lab.hns.endpoints import Endpoints
from transom_lab.hns.errors import Code, HnsFailureError
from transom_lab.hns.faults import Faults
from transom_lab.hns.host import HostNetwork, NetworkCommandError
from transom_lab.hns.namespaces import HOST_DEFAULT, Namespaces
from transom_lab.hns.networks import NON_PERSISTENT, Networks
from transom_lab.hns.schema import (
    balancer_to_v1,
    endpoint_from_v1,
    endpoint_to_v1,
    network_from_v1,
    network_to_v1,
)
from transom_lab.hns.store import NULL_ID, SCHEMA_V2, Entry, Json, Kind, Store, parse

_FUNCTION = re.compile(
    r"Hcn(Enumerate|Create|Open|Query|Modify|Delete)"
    r"(Network|Endpoint|Namespace|LoadBalancer|SdnRoute)(s|Properties)?"
)
_V1_KINDS = {
    "networks": Kind.NETWORK,
    "endpoints": Kind.ENDPOINT,
    "policylists": Kind.LOAD_BALANCER,
    "namespaces": Kind.NAMESPACE,
}


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a function of the DLLs.

    `id` and `parent` are the object's and its network's; for HNSCall, the method and the path.
    """

    function: str
    program: str = ""
    id: str = ""
    parent: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the DLL returns: zero or an HRESULT, and the result or the error record."""

    hresult: int
    text: str


def _ignore(_: Json) -> None:
    """Log nothing."""


@dataclass(slots=True)
class Hns:
    """The service of one host. `version` is what `/globals/version` says."""

    store: Store
    host: HostNetwork
    version: tuple[int, int] = (14, 0)
    switch_delay_s: float = 0.7
    log: Callable[[Json], None] = _ignore
    faults: Faults = field(default_factory=Faults)
    clock: Callable[[], float] = time.time
    _lock: threading.RLock = field(default_factory=threading.RLock)
    networks: Networks = field(init=False)
    endpoints: Endpoints = field(init=False)
    balancers: Balancers = field(init=False)
    namespaces: Namespaces = field(init=False)

    def __post_init__(self) -> None:
        self.networks = Networks(
            self.store, self.host, switch_delay_s=self.switch_delay_s, clock=self.clock
        )
        self.endpoints = Endpoints(self.store, self.host)
        self.balancers = Balancers(self.store, self.version)
        self.namespaces = Namespaces(self.store)

    def call(self, call: Call) -> Answer:
        """Answer one call."""
        began = self.clock()
        try:
            self._fail_on_demand(call)
            with self._lock:
                answer = Answer(0, self._dispatch(call))
        except HnsFailureError as failure:
            # v1 tells of a failure in its response, v2 by the HRESULT and an error record.
            hresult = 0 if call.function == "HNSCall" else failure.hresult
            text = failure.text if call.function == "PowerShell" else failure.record()
            answer = Answer(hresult, text)
        self.log(
            {
                "time": round(began, 3),
                "ms": round((self.clock() - began) * 1e3, 1),
                "program": call.program,
                "function": call.function,
                "id": call.id,
                "parent": call.parent,
                "request": call.text,
                "hresult": f"{answer.hresult:#x}",
                "answer": answer.text,
            }
        )
        return answer

    def _fail_on_demand(self, call: Call) -> None:
        with self._lock:
            met = self.faults.take(call.function, call.id, f"{call.id} {call.parent} {call.text}")
        if late := sum(fault.delay_s for fault in met):
            time.sleep(late)
        for fault in met:
            if fault.hresult:
                raise HnsFailureError(fault.hresult)

    def _dispatch(self, call: Call) -> str:
        if call.function == "PowerShell":
            return run_cmdlet(self.host, call.text)
        if call.function == "HNSCall":
            output = self._v1(call.id, call.parent, call.text)
            return json.dumps({"Success": True, "Output": output})
        found = _FUNCTION.fullmatch(call.function)
        if not found:
            raise HnsFailureError(Code.NOT_IMPLEMENTED)
        verb, kind = found[1], Kind(found[2])
        if verb == "Enumerate":
            filters = parse(parse(call.text).get("Filter") or "{}")
            ids = [e.id for e in self.store.all(kind) if self._matches(kind, e, filters)]
            return json.dumps(ids)
        if verb == "Create":
            return self._create(kind, call).id
        return self._on_object(verb, kind, self.store.get(kind, call.id), call.text)

    def _matches(self, kind: Kind, entry: Entry, wanted: Json) -> bool:
        """Filters name members of either schema ("VirtualNetwork" is v1) and ignore case."""
        members = {**self._view_v1(kind, entry), **self._view_v2(kind, entry)}
        return all(
            str(members.get(key, "")).lower() == str(value).lower() for key, value in wanted.items()
        )

    def _create(self, kind: Kind, call: Call) -> Entry:
        document = parse(call.text)
        if (document.get("SchemaVersion") or {}).get("Major") != SCHEMA_V2["Major"]:
            match kind:
                case Kind.NETWORK:
                    document = network_from_v1(document)
                case Kind.ENDPOINT:
                    document = endpoint_from_v1(document)
                case _:
                    raise HnsFailureError(Code.PARAMETER)
        match kind:
            case Kind.NETWORK:
                made = self._create_network(document, call.id)
            case Kind.ENDPOINT:
                network = self.store.get(Kind.NETWORK, call.parent)
                made = self.endpoints.create(document, network, call.id)
            case Kind.NAMESPACE:
                made = self.namespaces.create(document, call.id)
            case Kind.LOAD_BALANCER:
                made = self.balancers.create(document, call.id)
            case Kind.SDN_ROUTE:
                made = self.store.add(kind, document, wanted=call.id)
        self.store.save()
        return made

    def _create_network(self, document: Json, wanted: str = "") -> Entry:
        network = self.networks.create(document, wanted)
        adapter = network.private.get("adapter")
        if adapter and (interruption := self.faults.take_interruption()):
            try:
                self.host.interrupt(
                    adapter,
                    down_s=interruption.down_s,
                    lose_addresses=interruption.lose_addresses,
                )
            except NetworkCommandError:
                raise HnsFailureError(Code.ADAPTER_NOT_FOUND) from None
        return network

    def _on_object(self, verb: str, kind: Kind, entry: Entry, text: str) -> str:
        if verb == "Open":
            return entry.id
        request = parse(text)
        if verb == "Query":
            asked = (request.get("SchemaVersion") or SCHEMA_V2).get("Major")
            view = self._view_v1 if asked == 1 else self._view_v2
            return json.dumps(view(kind, entry))
        if verb == "Delete":
            self._delete(kind, entry)
        else:
            self._modify(kind, entry, request)
        self.store.save()
        return ""

    def _modify(self, kind: Kind, entry: Entry, request: Json) -> None:
        match kind:
            case Kind.NETWORK:
                self.networks.modify(entry, request)
            case Kind.ENDPOINT:
                self.endpoints.modify(entry, request)
            case Kind.NAMESPACE:
                self.namespaces.modify(entry, request)
            case Kind.LOAD_BALANCER:
                self.balancers.modify(entry, request)
            case Kind.SDN_ROUTE:
                raise HnsFailureError(Code.UNSUPPORTED)

    def _delete(self, kind: Kind, entry: Entry) -> None:
        match kind:
            case Kind.NETWORK:
                for endpoint in self.endpoints.of(entry):
                    self.endpoints.delete(endpoint)
                self.store.remove(kind, entry)
            case Kind.ENDPOINT:
                self.endpoints.delete(entry)
            case Kind.NAMESPACE:
                self.namespaces.delete(entry)
            case Kind.LOAD_BALANCER | Kind.SDN_ROUTE:
                self.store.remove(kind, entry)

    def _view_v2(self, kind: Kind, entry: Entry) -> Json:
        match kind:
            case Kind.NETWORK:
                return self.networks.view(entry)
            case Kind.ENDPOINT:
                return self.endpoints.view(entry)
            case _:
                return entry.document

    def _view_v1(self, kind: Kind, entry: Entry) -> Json:
        match kind:
            case Kind.NETWORK:
                return network_to_v1(
                    entry,
                    endpoints=len(self.endpoints.of(entry)),
                    version=self.version,
                    switched=self.networks.is_switched(entry),
                )
            case Kind.ENDPOINT:
                network = self.store.get(Kind.NETWORK, entry.document["HostComputeNetwork"])
                return endpoint_to_v1(entry, network.document["Name"])
            case Kind.LOAD_BALANCER:
                return balancer_to_v1(entry)
            case _:
                return entry.document

    def _v1(self, method: str, path: str, text: str) -> Any:
        """One HNSCall, which is shaped like an HTTP request."""
        what, one, action = [*path.strip("/").split("/"), "", ""][:3]
        if (what, one) == ("globals", "version"):
            return {"Major": self.version[0], "Minor": self.version[1]}
        if what == "accelnet":
            return self._accelerated_network(method, text)
        if what == "endpointstats":
            endpoint = self.store.get(Kind.ENDPOINT, one)
            return {"EndpointId": endpoint.id.upper(), "InstanceId": NULL_ID}
        kind = _V1_KINDS.get(what)
        if kind is None:
            raise HnsFailureError(Code.UNSUPPORTED)
        if method == "GET":
            if one:
                return self._view_v1(kind, self.store.get(kind, one))
            return [self._view_v1(kind, entry) for entry in self.store.all(kind)]
        output = self._change_v1(method, kind, one=one, action=action, text=text)
        self.store.save()
        return output

    def _accelerated_network(self, method: str, text: str) -> Json:
        if method != "GET":
            self.store.accelerated_network = parse(text) if method == "POST" else {}
            self.store.save()
        return self.store.accelerated_network

    def _change_v1(self, method: str, kind: Kind, *, one: str, action: str, text: str) -> Json:
        if method == "DELETE":
            entry = self.store.get(kind, one)
            view = self._view_v1(kind, entry)
            self._delete(kind, entry)
            return view
        if one and kind is Kind.ENDPOINT and action in ("attach", "detach"):
            self._attach_v1(self.store.get(kind, one), parse(text), attach=action == "attach")
            return {"Success": True}
        document = parse(text)
        if not one and kind is Kind.NETWORK:
            return self._view_v1(kind, self._create_network(network_from_v1(document)))
        if not one and kind is Kind.ENDPOINT:
            network = self.store.get(Kind.NETWORK, document.get("VirtualNetwork", ""))
            return self._view_v1(kind, self.endpoints.create(endpoint_from_v1(document), network))
        raise HnsFailureError(Code.UNSUPPORTED)

    def _attach_v1(self, endpoint: Entry, request: Json, *, attach: bool) -> None:
        if request.get("SystemType") == "Host":
            if attach:
                self.endpoints.attach_to_host(endpoint)
            else:
                self.endpoints.detach_from_host(endpoint)
            return
        container = request.get("ContainerId", "")
        others = [c for c in endpoint.private.get("containers", []) if c != container]
        endpoint.private["containers"] = [*others, container] if attach else others

    def reset(self) -> None:
        """Forget everything but the host's own namespace."""
        self._forget(everything=True)

    def reboot(self) -> None:
        """Do what a reboot does: what HNS persists comes back, detached; the rest is gone."""
        self._forget(everything=False)

    def _forget(self, *, everything: bool) -> None:
        with self._lock:
            for network in self.store.all(Kind.NETWORK):
                if everything or (network.document.get("Flags") or 0) & NON_PERSISTENT:
                    self._delete(Kind.NETWORK, network)
            for endpoint in self.store.all(Kind.ENDPOINT):
                self.endpoints.detach_from_host(endpoint)
            for balancer in self.store.all(Kind.LOAD_BALANCER):
                if everything or not balancer.document.get("HostComputeEndpoints"):
                    self.store.remove(Kind.LOAD_BALANCER, balancer)
            for namespace in self.store.all(Kind.NAMESPACE):
                if namespace.document["Type"] != HOST_DEFAULT:
                    self.namespaces.delete(namespace)
            if everything:
                for route in self.store.all(Kind.SDN_ROUTE):
                    self.store.remove(Kind.SDN_ROUTE, route)
            self.store.save()
