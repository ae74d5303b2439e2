"""What each provider's cluster object says; `${VAR}` is filled by clusterctl.

Only what must be said: networks, gateways and security groups are the provider's defaults.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from transom.capi.objects import made
from transom.capi.wish import Wish
from transom.model.manifest import Manifest

Spec = dict[str, Any]
_ENDPOINT = {"host": "${CONTROL_PLANE_ENDPOINT_IP}", "port": 6443}
_AZURE_IDENTITY = "${CLUSTER_IDENTITY_NAME:=cluster-identity}"

CLUSTERS: Mapping[str, Spec] = {
    "azure": {
        "location": "${AZURE_LOCATION}",
        "subscriptionID": "${AZURE_SUBSCRIPTION_ID}",
        "resourceGroup": "${AZURE_RESOURCE_GROUP:=${CLUSTER_NAME}}",
        "identityRef": {
            "apiVersion": "infrastructure.cluster.x-k8s.io/v1beta1",
            "kind": "AzureClusterIdentity",
            "name": _AZURE_IDENTITY,
        },
        "networkSpec": {
            "vnet": {"name": "${AZURE_VNET_NAME:=${CLUSTER_NAME}-vnet}"},
            "subnets": [
                {"name": "control-plane-subnet", "role": "control-plane"},
                {"name": "node-subnet", "role": "node"},
            ],
        },
    },
    "aws": {"region": "${AWS_REGION}", "sshKeyName": "${AWS_SSH_KEY_NAME}"},
    "gcp": {
        "project": "${GCP_PROJECT}",
        "region": "${GCP_REGION}",
        "network": {"name": "${GCP_NETWORK_NAME:=default}"},
    },
    "vsphere": {
        "server": "${VSPHERE_SERVER}",
        "thumbprint": "${VSPHERE_TLS_THUMBPRINT}",
        "identityRef": {"kind": "Secret", "name": "${CLUSTER_NAME}"},
        "controlPlaneEndpoint": _ENDPOINT,
    },
    "openstack": {
        "identityRef": {
            "name": "${CLUSTER_NAME}-cloud-config",
            "cloudName": "${OPENSTACK_CLOUD}",
        },
        "apiServerLoadBalancer": {"enabled": True},
        "externalNetwork": {"id": "${OPENSTACK_EXTERNAL_NETWORK_ID}"},
        "managedSecurityGroups": {"allowAllInClusterTraffic": False},
        "managedSubnets": [
            {"cidr": "10.6.0.0/24", "dnsNameservers": ["${OPENSTACK_DNS_NAMESERVERS}"]}
        ],
    },
    "proxmox": {
        "allowedNodes": ["${PROXMOX_SOURCENODE}"],
        "controlPlaneEndpoint": _ENDPOINT,
        "dnsServers": ["${DNS_SERVER}"],
        "ipv4Config": {
            "addresses": ["${NODE_IP_RANGE}"],
            "gateway": "${GATEWAY}",
            "prefix": "${IP_PREFIX}",
            "metric": 100,
        },
    },
}


def cluster_spec(provider: str, *, template: bool = False) -> Spec:
    """The cluster's spec; in a template without what belongs to one cluster alone."""
    spec = dict(CLUSTERS[provider])
    if template:
        for key in ("controlPlaneEndpoint", "resourceGroup"):
            spec.pop(key, None)
        if provider == "azure":
            spec["networkSpec"] = {
                "subnets": [
                    {"name": subnet["name"], "role": subnet["role"]}
                    for subnet in spec["networkSpec"]["subnets"]
                ]
            }
    return spec


def identity(wish: Wish) -> Iterator[Manifest]:
    """The identity that Azure's provider works with; the others have theirs outside of the cluster."""
    if wish.provider != "azure":
        return
    spec = {
        "type": "${CLUSTER_IDENTITY_TYPE:=WorkloadIdentity}",
        "allowedNamespaces": {},
        "clientID": "${AZURE_CLIENT_ID_USER_ASSIGNED_IDENTITY}",
        "tenantID": "${AZURE_TENANT_ID}",
    }
    yield made(wish.row.version, "AzureClusterIdentity", _AZURE_IDENTITY, spec)
