"""Networks: what HNS checks when one is made, the virtual switch it stands on, its policies."""

import ipaddress
import os
import time
from collections.abc import Callable

from transom_lab.hns.errors import Code, HnsFailureError
from transom_lab.hns.host import Adapter, HostNetwork
from transom_lab.hns.schema import subnets
from transom_lab.hns.store import SCHEMA_V2, Entry, Json, Kind, Store

NON_PERSISTENT = 8
"""Network flag: forgotten at the next reboot."""

TYPES = ("NAT", "Transparent", "L2Bridge", "L2Tunnel", "ICS", "Private", "Overlay", "Internal")
_EXTERNAL = ("Overlay", "L2Bridge", "L2Tunnel", "Transparent")
_REMOTE_SUBNET = (
    "DestinationPrefix",
    "IsolationId",
    "ProviderAddress",
    "DistributedRouterMacAddress",
)


class Networks:
    """Makes, shows and changes networks in a store.

    `switch_delay_s` is how long a new virtual switch takes to have its address: on Windows the
    management address appears only some time after the call that made the network returned.
    """

    def __init__(
        self,
        store: Store,
        host: HostNetwork,
        *,
        switch_delay_s: float,
        clock: Callable[[], float] = time.time,
        random_bytes: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self._store = store
        self._host = host
        self._switch_delay_s = switch_delay_s
        self._clock = clock
        self._random_bytes = random_bytes

    def create(self, document: Json, wanted: str = "") -> Entry:
        """Check and store a network."""
        kind = _type_of(document)
        name = document.get("Name") or ""
        if any(n.document["Name"].lower() == name.lower() for n in self._store.all(Kind.NETWORK)):
            raise HnsFailureError(Code.NETWORK_EXISTS)
        _check_subnets(kind, subnets(document))
        policies = list(document.get("Policies") or [])
        private: Json = {}
        if kind in _EXTERNAL:
            adapter = self._switch_adapter(policies)
            private = {
                "adapter": adapter.name,
                "management": str(adapter.addresses[0].ip),
                "ready": self._clock() + self._switch_delay_s,
            }
        if kind == "Overlay":
            private["dr_mac"] = "00-15-5D-" + self._random_bytes(3).hex("-").upper()
        ranges = (document.get("MacPool") or {}).get("Ranges") or [self._mac_range()]
        made = {
            "SchemaVersion": SCHEMA_V2,
            **document,
            "Name": name,
            "Type": kind,
            "Policies": policies,
            "MacPool": {"Ranges": ranges},
        }
        return self._store.add(Kind.NETWORK, made, wanted=wanted, private=private)

    def _switch_adapter(self, policies: list[Json]) -> Adapter:
        asked = (
            (policy.get("Settings") or {}).get("NetworkAdapterName")
            for policy in policies
            if policy.get("Type") == "NetAdapterName"
        )
        name = next(asked, None) or self._host.default_adapter()
        for adapter in self._host.adapters():
            if adapter.name == name and adapter.addresses:
                return adapter
        raise HnsFailureError(Code.ADAPTER_NOT_FOUND)

    def _mac_range(self) -> Json:
        # Differs between hosts, as on Windows: the distributed router's MAC is the host's VTEP.
        start = "00-15-5D-" + self._random_bytes(1).hex().upper()
        return {"StartMacAddress": f"{start}-10-00", "EndMacAddress": f"{start}-1F-FF"}

    def is_switched(self, network: Entry) -> bool:
        """Whether the network has a virtual switch that already has its address."""
        return "adapter" in network.private and self._clock() >= network.private["ready"]

    def view(self, network: Entry) -> Json:
        """The network as v2 shows it."""
        document = network.document
        policies = list(document["Policies"])
        if self.is_switched(network):
            address = {"ProviderAddress": network.private["management"]}
            policies.append({"Type": "ProviderAddress", "Settings": address})
            if mac := network.private.get("dr_mac"):
                policies.append({"Type": "DrMacAddress", "Settings": {"Address": mac}})
        return {**document, "Policies": policies, "Health": {"Extra": {}}}

    def modify(self, network: Entry, request: Json) -> None:
        """Add, remove or replace policies of a network."""
        if request.get("ResourceType") != "Policy":
            raise HnsFailureError(Code.UNSUPPORTED)
        for asked in (request.get("Settings") or {}).get("Policies") or []:
            policy = {**asked, "Settings": asked.get("Settings") or {}}
            _check_policy(policy)
            network.document["Policies"] = _changed(
                network.document["Policies"], request.get("RequestType"), policy
            )


def _type_of(document: Json) -> str:
    asked = str(document.get("Type") or "NAT").lower()
    for name in TYPES:
        if name.lower() == asked:
            return name
    raise HnsFailureError(Code.INVALID_NETWORK_TYPE)


def _check_subnets(kind: str, found: list[Json]) -> None:
    for subnet in found:
        policies = subnet.get("Policies") or []
        if kind == "Overlay" and not any(p.get("Type") == "VSID" for p in policies):
            raise HnsFailureError(Code.INVALID_POLICY)
        try:
            ipaddress.ip_network(subnet.get("IpAddressPrefix") or "")
        except ValueError:
            raise HnsFailureError(Code.INVALID_PREFIX) from None


def _check_policy(policy: Json) -> None:
    remote = policy.get("Type") == "RemoteSubnetRoute"
    if remote and not all(policy["Settings"].get(key) for key in _REMOTE_SUBNET):
        raise HnsFailureError(Code.INVALID_POLICY)


def _changed(policies: list[Json], change: object, policy: Json) -> list[Json]:
    same = [p for p in policies if is_same_policy(policy, p)]
    if change == "Remove":
        if not same:
            raise HnsFailureError(Code.POLICY_NOT_FOUND)
        return [p for p in policies if p is not same[0]]
    if change == "Add":
        if same:
            raise HnsFailureError(Code.POLICY_EXISTS)
        return [*policies, policy]
    return [*(p for p in policies if p["Type"] != policy["Type"]), policy]


def is_same_policy(one: Json, other: Json) -> bool:
    """Whether two policies are one to HNS: a remote subnet is known by its prefix alone."""
    if one["Type"] != other["Type"]:
        return False
    mine, theirs = one.get("Settings") or {}, other.get("Settings") or {}
    if one["Type"] == "RemoteSubnetRoute":
        return bool(mine.get("DestinationPrefix") == theirs.get("DestinationPrefix"))
    return bool(mine == theirs)
