"""One host without a fleet file: the Fleet value, the recipe and the request that a join or reset needs.

Made of what the cluster says, what the host says, and the few things a person may have said. Pure.
"""

import ipaddress
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from transom.errors import UnsupportedError, UsageError
from transom.facts import rows
from transom.facts.windows import Release
from transom.fleet.cluster import ClusterView
from transom.model.fleet import (
    Cluster,
    Fleet,
    Host,
    KubeletSpec,
    KubernetesSpec,
    Reboot,
    Source,
    WindowsSpec,
)
from transom.model.journal import SINGLE_HOST, Owner
from transom.model.records import dataclass
from transom.model.request import SourceAccess


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a person said: where the host is, what is not to be found out, whether it may reboot.

    Without a version the host gets the cluster's.

    With the text of a `node_kubeconfig` the host joins without kubeadm and no token is made.
    """

    address: str
    node_ip: str = ""
    windows: str = ""
    kubernetes: str = ""
    reboot: bool = False
    source: Source = field(default_factory=Source)
    access: SourceAccess = field(default_factory=SourceAccess)
    node_kubeconfig: str = field(default="", repr=False)


def single_fleet(wish: Wish, view: ClusterView, inventory: Mapping[str, Any]) -> Fleet:
    """A fleet of just this host."""
    name = str(inventory["name"]).lower()
    arguments = {"node-ip": wish.node_ip} if wish.node_ip else {}
    host = Host(
        name=name,
        address=_address(wish, inventory),
        windows=WindowsSpec(_release(wish, inventory)),
        kubelet=KubeletSpec(extra_args=arguments),
        reboot=Reboot.ALLOWED if wish.reboot else Reboot.REFUSED,
    )
    return Fleet(
        name=SINGLE_HOST,
        cluster=Cluster(
            endpoint=view.endpoint, ca_cert_hashes=view.ca_hashes, version=view.version
        ),
        kubernetes=KubernetesSpec(wish.kubernetes or view.version),
        network=view.network,
        hosts=(host,),
        source=wish.source,
    )


def owner_of(view: ClusterView) -> Owner:
    """Whose the host's journal is."""
    return Owner(cluster=view.ca_hashes[0], fleet=SINGLE_HOST, who="cli")


def _release(wish: Wish, inventory: Mapping[str, Any]) -> str:
    build = inventory["windows"]["build"]
    if wish.windows:
        return wish.windows
    for row in rows.read(Release):
        if row.build == build:
            return row.id
    raise UnsupportedError(
        f"Windows build {build} is not known",
        subject=str(inventory["name"]),
        hint="`transom facts` lists the releases; name the nearest with --windows at your own risk",
    )


def _address(wish: Wish, inventory: Mapping[str, Any]) -> str:
    """The host's own address: the one it was reached at, if that is one of its own."""
    if wish.node_ip:
        return wish.node_ip
    addresses = [
        str(address)
        for adapter in inventory["adapters"]
        for address in adapter["addresses"]
        if _is_usable(address)
    ]
    if wish.address in addresses or not addresses:
        return wish.address
    if len(addresses) == 1:
        return addresses[0]
    raise UsageError(
        f"the host has several addresses: {', '.join(addresses)}",
        subject=str(inventory["name"]),
        hint="say which one other nodes reach it at: --node-ip",
    )


def _is_usable(text: str) -> bool:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return not (address.is_loopback or address.is_link_local or address.is_unspecified)
