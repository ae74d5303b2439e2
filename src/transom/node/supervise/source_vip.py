"""kube-proxy's own address on an overlay: reserved once among the pods' addresses, and kept.

The plugin host-local is asked like a container runtime asks it, so no pod gets the same address. What
it gave is written down beside the journal: should its leases be lost, the same address is asked for
again. Windows keeps state that names this address, which is why it must not change.
"""

import ipaddress
import json
import ntpath
from collections.abc import Callable

from transom.errors import PermanentError
from transom.model.codec import decode, encode
from transom.model.recipe import SourceVip
from transom.model.records import dataclass
from transom.node.host.protocols import Machine
from transom.node.host.values import PathKind
from transom.node.supervise.waiting import NotYet

_HOLDER = "transom-source-vip"
_INTERFACE = "source-vip"
_CNI_VERSION = "0.3.1"
_TIMEOUT_S = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The reservation as it is written down."""

    network: str
    range: str
    address: str


@dataclass(frozen=True, slots=True)
class Reservation:
    """Where the address comes from, and where it is kept."""

    machine: Machine
    plan: SourceVip
    network: str
    kept_in: str
    tell: Callable[[str], None]

    def address(self, pods: str) -> str:
        """The address within the node's pod range; the same one every time."""
        if self.plan.endpoint:
            return self._of_endpoint()
        kept = self._kept()
        wanted = kept.address if kept is not None and kept.network == self.network else ""
        if wanted and not _within(wanted, pods):
            self.tell(f"the source address {wanted} is outside the node's range {pods}: a new one")
            wanted = ""
        found = self._leased(pods) or self._reserve(pods, wanted)
        new = Kept(network=self.network, range=pods, address=found)
        if new != kept:
            self.machine.files.write(self.kept_in, json.dumps(encode(new)).encode())
        return found

    def _of_endpoint(self) -> str:
        for endpoint in self.machine.hns.state().endpoints:
            if endpoint.get("Name") == self.plan.endpoint:
                for configuration in endpoint.get("IpConfigurations") or ():
                    return str(configuration["IpAddress"])
        raise NotYet(f"the network {self.network} has no endpoint {self.plan.endpoint} yet")

    def _kept(self) -> Kept | None:
        if self.machine.files.kind(self.kept_in) is not PathKind.FILE:
            return None
        try:
            return decode(Kept, json.loads(self.machine.files.read(self.kept_in)))
        except ValueError:
            return None  # torn or foreign: it is written anew

    def _leased(self, pods: str) -> str:
        """The address that host-local has for us already; it would refuse to give a second."""
        leases = ntpath.join(self.plan.leases, self.network)
        if self.machine.files.kind(leases) is not PathKind.DIRECTORY:
            return ""
        for name in self.machine.files.entries(leases):
            if not _within(name, pods):
                continue
            held = self.machine.files.read(ntpath.join(leases, name)).decode("utf-8", "replace")
            if held.split()[:1] == [_HOLDER]:
                return name
        return ""

    def _reserve(self, pods: str, wanted: str) -> str:
        if wanted:
            try:
                return self._ask(pods, {"CNI_ARGS": f"IP={wanted}"})
            except PermanentError as error:
                self.tell(f"the source address {wanted} cannot be had again: {error.message}")
        return self._ask(pods, {})

    def _ask(self, pods: str, more: dict[str, str]) -> str:
        question = {
            "cniVersion": _CNI_VERSION,
            "name": self.network,
            "type": "host-local",
            "ipam": {
                "type": "host-local",
                "dataDir": self.plan.leases,
                "ranges": [[{"subnet": pods}]],
            },
        }
        done = self.machine.processes.run(
            [self.plan.reserve_with],
            timeout_s=_TIMEOUT_S,
            stdin=json.dumps(question).encode(),
            environment={
                "CNI_COMMAND": "ADD",
                "CNI_CONTAINERID": _HOLDER,
                "CNI_NETNS": _HOLDER,
                "CNI_IFNAME": _INTERFACE,
                "CNI_PATH": ntpath.dirname(self.plan.reserve_with),
                **more,
            },
        )
        try:
            answer = json.loads(done.output)
            if done.code == 0:
                return str(ipaddress.ip_interface(answer["ips"][0]["address"]).ip)
            said = str(answer["msg"])
        except (ValueError, LookupError, TypeError):
            said = done.output.strip()
        raise PermanentError(
            f"host-local gave no source address: {said or f'it ended with {done.code}'}",
            subject=self.network,
            hint=f"Its leases are in {ntpath.join(self.plan.leases, self.network)}.",
        )


def _within(address: str, pods: str) -> bool:
    try:
        return ipaddress.ip_address(address) in ipaddress.ip_network(pods, strict=False)
    except ValueError:
        return False
