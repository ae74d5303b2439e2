"""One host without a fleet file, as a Fleet of one: survey, plan and phases are those of every fleet.

Made of what the cluster says, what the host says, and the few things a person may have said. Pure.
"""

import ipaddress
from dataclasses import field

from transom.errors import UnsupportedError, UsageError
from transom.facts import rows
from transom.facts.windows import Release
from transom.fleet.cluster import ClusterEntry, network_of
from transom.model.answers import Inventory
from transom.model.fleet import (
    Cluster,
    Fleet,
    Host,
    KubernetesSpec,
    Reboot,
    Source,
    WindowsSpec,
)
from transom.model.journal import SINGLE_HOST
from transom.model.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a person said: where the host is, what is not to be found out, whether it may reboot.

    Without a version the host gets the cluster's.
    """

    address: str
    node_ip: str = ""
    windows: str = ""
    kubernetes: str = ""
    reboot: bool = False
    source: Source = field(default_factory=Source)


def fleet_of_one(wish: Wish, entry: ClusterEntry, inventory: Inventory) -> Fleet:
    """A fleet of just this host."""
    name = inventory.name.lower()
    host = Host(
        name=name,
        address=_address(wish, inventory),
        windows=WindowsSpec(_release(wish, inventory)),
        node_ip=wish.node_ip or None,
        reboot=Reboot.ALLOWED if wish.reboot else Reboot.REFUSED,
    )
    return Fleet(
        name=SINGLE_HOST,
        cluster=Cluster(
            endpoint=entry.endpoint, ca_cert_hashes=entry.ca_hashes, version=entry.version
        ),
        kubernetes=KubernetesSpec(wish.kubernetes or entry.version),
        network=network_of(entry),
        hosts=(host,),
        source=wish.source,
    )


def _release(wish: Wish, inventory: Inventory) -> str:
    build = inventory.windows.build
    if wish.windows:
        return wish.windows
    for row in rows.read(Release):
        if row.build == build:
            return row.id
    raise UnsupportedError(
        f"Windows build {build} is not known",
        subject=inventory.name,
        hint="`transom facts` lists the releases; name the nearest with --windows at your own risk",
    )


def _address(wish: Wish, inventory: Inventory) -> str:
    """The host's own address: the one it was reached at, if that is one of its own."""
    if wish.node_ip:
        return wish.node_ip
    addresses = [
        address
        for adapter in inventory.adapters
        for address in adapter.addresses
        if _is_usable(address)
    ]
    if wish.address in addresses or not addresses:
        return wish.address
    if len(addresses) == 1:
        return addresses[0]
    raise UsageError(
        f"the host has several addresses: {', '.join(addresses)}",
        subject=inventory.name,
        hint="say which one other nodes reach it at: --node-ip",
    )


def _is_usable(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_link_local or address.is_unspecified)
