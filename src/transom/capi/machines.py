"""What each provider's machine template says about a Windows machine; `${VAR}` is filled by clusterctl."""

from collections.abc import Callable, Mapping
from typing import Any

Spec = dict[str, Any]


def _azure() -> Spec:
    return {
        "vmSize": "${AZURE_NODE_MACHINE_TYPE}",
        "osDisk": {
            "osType": "Windows",
            "diskSizeGB": 128,
            "managedDisk": {"storageAccountType": "Premium_LRS"},
        },
    }


def _aws() -> Spec:
    return {
        "instanceType": "${AWS_NODE_MACHINE_TYPE}",
        "ami": {"id": "${AWS_WINDOWS_AMI_ID}"},
        "iamInstanceProfile": "nodes.cluster-api-provider-aws.sigs.k8s.io",
        "sshKeyName": "${AWS_SSH_KEY_NAME}",
        "rootVolume": {"size": 128},
        "uncompressedUserData": True,
        "cloudInit": {"insecureSkipSecretsManager": True},
        "instanceMetadataOptions": {"httpTokens": "optional", "httpEndpoint": "enabled"},
    }


def _gcp() -> Spec:
    return {
        "instanceType": "${GCP_NODE_MACHINE_TYPE}",
        "image": "${GCP_WINDOWS_IMAGE}",
        "rootDeviceSize": 128,
    }


def _vsphere() -> Spec:
    return {
        "os": "Windows",
        "cloneMode": "linkedClone",
        "server": "${VSPHERE_SERVER}",
        "datacenter": "${VSPHERE_DATACENTER}",
        "datastore": "${VSPHERE_DATASTORE}",
        "folder": "${VSPHERE_FOLDER}",
        "resourcePool": "${VSPHERE_RESOURCE_POOL}",
        "template": "${VSPHERE_WINDOWS_TEMPLATE}",
        "numCPUs": 4,
        "memoryMiB": 16384,
        "diskGiB": 128,
        "network": {"devices": [{"networkName": "${VSPHERE_NETWORK}", "dhcp4": True}]},
    }


def _openstack() -> Spec:
    return {
        "flavor": "${OPENSTACK_NODE_MACHINE_FLAVOR}",
        "image": {"filter": {"name": "${OPENSTACK_WINDOWS_IMAGE_NAME}"}},
        "sshKeyName": "${OPENSTACK_SSH_KEY_NAME}",
        "configDrive": True,
    }


def _proxmox() -> Spec:
    return {
        "sourceNode": "${PROXMOX_SOURCENODE}",
        "templateID": "${PROXMOX_WINDOWS_TEMPLATE_ID}",
        "format": "qcow2",
        "full": True,
        "numSockets": 1,
        "numCores": 4,
        "memoryMiB": 16384,
        "checks": {"skipCloudInitStatus": True},
        "network": {"default": {"bridge": "${BRIDGE}", "model": "virtio"}},
    }


SPECS: Mapping[str, Callable[[], Spec]] = {
    "azure": _azure,
    "aws": _aws,
    "gcp": _gcp,
    "vsphere": _vsphere,
    "openstack": _openstack,
    "proxmox": _proxmox,
}
