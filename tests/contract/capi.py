"""Every template that can be asked for, and values that make whole objects of it."""

import itertools
import json
import re
from typing import Any

from transom.bootstrap.compile import BootFile
from transom.capi.machines import SPECS
from transom.capi.template import template
from transom.capi.wish import CONTRACTS, Wish
from transom.cli.commands.capi.template import fill
from transom.facts.capi import Provider
from transom.facts.rows import At, one
from transom.model.version import Version

FILES = (BootFile(r"C:\k\transom\boot\boot.json", b"{}"),)
NUMBERS = {
    "WINDOWS_WORKER_MACHINE_COUNT": 1, "WORKER_MACHINE_COUNT": 1, "CONTROL_PLANE_MACHINE_COUNT": 1,
    "PROXMOX_WINDOWS_TEMPLATE_ID": 100, "TEMPLATE_VMID": 101, "IP_PREFIX": 24,
}  # fmt: skip
VALUES = {
    "CLUSTER_NAME": "shop", "NAMESPACE": "default", "KUBERNETES_VERSION": "v1.37.1",
    "SSH_PUBLIC_KEY": "ssh-ed25519 AAAA a", "CLUSTER_CLASS_NAME": "windows",
    "CONTROL_PLANE_ENDPOINT_IP": "10.0.0.4", "POD_CIDR": "10.244.0.0/16",
    "SERVICE_CIDR": "10.96.0.0/12", "LINUX_INTERFACE": "eth0", "CLUSTER_IDENTITY_NAME": "identity",
    "CLUSTER_IDENTITY_TYPE": "WorkloadIdentity", "DNS_SERVER": "10.0.0.2", "GATEWAY": "10.0.0.1",
    "NODE_IP_RANGE": "10.0.0.10-10.0.0.99", "AZURE_SUBSCRIPTION_ID": "00000000-0000-0000-0000-000000000000",
    "OPENSTACK_EXTERNAL_NETWORK_ID": "ebfe5546-f09f-4f42-ab54-094e457d42ec",
    "OPENSTACK_DNS_NAMESERVERS": "10.0.0.2", "AZURE_RESOURCE_GROUP": "shop", "AZURE_VNET_NAME": "shop-vnet",
    "GCP_NETWORK_NAME": "default",
}  # fmt: skip


def wishes() -> list[Wish]:
    """Each provider in each flavour it has, for both contracts, with and without the cluster."""
    found = []
    for provider, contract, whole in itertools.product(sorted(SPECS), CONTRACTS, (False, True)):
        row = one(Provider, f"provider-{provider}", At())
        flavors = ["machinedeployment", "clusterclass"] + ["machinepool"] * bool(row.machine_pool)
        found += [
            Wish(
                provider=provider, flavor=flavor, contract=contract, whole=whole, files=FILES,
                addons="a: b\n", mtu=1400, kubernetes=Version.parse("1.37.1"),
            )
            for flavor in flavors
        ]  # fmt: skip
    return found


def name_of(wish: Wish) -> str:
    """The wish in a test's name."""
    return "-".join([wish.provider, wish.flavor, wish.contract, "whole" if wish.whole else "pool"])


def objects_of(wish: Wish, **values: str) -> list[dict[str, Any]]:
    """The template with values in all its variables, those given and others."""
    text = json.dumps(template(wish))
    for name, number in NUMBERS.items():
        text = text.replace(f'"${{{name}:=1}}"', str(number)).replace(f'"${{{name}}}"', str(number))
    names = set(re.findall(r"\$\{([A-Z0-9_]+)", text))
    filled = fill(
        text, {**{name: name.lower().replace("_", "-") for name in names}, **VALUES, **values}
    )
    found: list[dict[str, Any]] = json.loads(filled)
    return found
