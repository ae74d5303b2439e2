"""What each provider's machine templates say, by the machine's role; `${VAR}` is filled by clusterctl."""

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any

Spec = dict[str, Any]
_AWS_PROFILE = "cluster-api-provider-aws.sigs.k8s.io"


class Role(Enum):
    """What a machine is for, as it stands in the names of variables."""

    WINDOWS = "WINDOWS"
    CONTROL_PLANE = "CONTROL_PLANE"
    LINUX = "NODE"


def _size(role: Role) -> str:
    """The machine's size in names of variables: workers of both systems share the usual one."""
    return "CONTROL_PLANE" if role is Role.CONTROL_PLANE else "NODE"


def _azure(role: Role) -> Spec:
    windows = role is Role.WINDOWS
    disk: Spec = {"osType": "Windows" if windows else "Linux", "diskSizeGB": 128}
    if windows:
        disk["managedDisk"] = {"storageAccountType": "Premium_LRS"}
    spec: Spec = {"vmSize": f"${{AZURE_{_size(role)}_MACHINE_TYPE}}", "osDisk": disk}
    if not windows:
        # On Windows it does nothing: keys are those of `users`.
        spec["sshPublicKey"] = "${AZURE_SSH_PUBLIC_KEY_B64}"
    return spec


def _aws(role: Role) -> Spec:
    profile = "control-plane" if role is Role.CONTROL_PLANE else "nodes"
    spec: Spec = {
        "instanceType": f"${{AWS_{_size(role)}_MACHINE_TYPE}}",
        "iamInstanceProfile": f"{profile}.{_AWS_PROFILE}",
        "sshKeyName": "${AWS_SSH_KEY_NAME}",
    }
    if role is Role.WINDOWS:
        spec |= {
            "ami": {"id": "${AWS_WINDOWS_AMI_ID}"},
            "rootVolume": {"size": 128},
            "uncompressedUserData": True,
            "cloudInit": {"insecureSkipSecretsManager": True},
            "instanceMetadataOptions": {"httpTokens": "optional", "httpEndpoint": "enabled"},
        }
    return spec


def _gcp(role: Role) -> Spec:
    windows = role is Role.WINDOWS
    return {
        "instanceType": f"${{GCP_{_size(role)}_MACHINE_TYPE}}",
        "image": "${GCP_WINDOWS_IMAGE}" if windows else "${IMAGE_ID}",
        "rootDeviceSize": 128 if windows else 64,
    }


def _vsphere(role: Role) -> Spec:
    windows = role is Role.WINDOWS
    spec: Spec = {
        "cloneMode": "linkedClone",
        "server": "${VSPHERE_SERVER}",
        "datacenter": "${VSPHERE_DATACENTER}",
        "datastore": "${VSPHERE_DATASTORE}",
        "folder": "${VSPHERE_FOLDER}",
        "resourcePool": "${VSPHERE_RESOURCE_POOL}",
        "template": "${VSPHERE_WINDOWS_TEMPLATE}" if windows else "${VSPHERE_TEMPLATE}",
        "numCPUs": 4 if windows else 2,
        "memoryMiB": 16384 if windows else 8192,
        "diskGiB": 128 if windows else 32,
        "network": {"devices": [{"networkName": "${VSPHERE_NETWORK}", "dhcp4": True}]},
    }
    return {"os": "Windows", **spec} if windows else spec


def _openstack(role: Role) -> Spec:
    image = "OPENSTACK_WINDOWS_IMAGE_NAME" if role is Role.WINDOWS else "OPENSTACK_IMAGE_NAME"
    spec: Spec = {
        "flavor": f"${{OPENSTACK_{_size(role)}_MACHINE_FLAVOR}}",
        "image": {"filter": {"name": f"${{{image}}}"}},
        "sshKeyName": "${OPENSTACK_SSH_KEY_NAME}",
    }
    return {**spec, "configDrive": True} if role is Role.WINDOWS else spec


def _proxmox(role: Role) -> Spec:
    windows = role is Role.WINDOWS
    spec: Spec = {
        "sourceNode": "${PROXMOX_SOURCENODE}",
        "templateID": "${PROXMOX_WINDOWS_TEMPLATE_ID}" if windows else "${TEMPLATE_VMID}",
        "format": "qcow2",
        "full": True,
        "numSockets": 1,
        "numCores": 4,
        "memoryMiB": 16384 if windows else 8192,
        "network": {"default": {"bridge": "${BRIDGE}", "model": "virtio"}},
    }
    return {**spec, "checks": {"skipCloudInitStatus": True}} if windows else spec


SPECS: Mapping[str, Callable[[Role], Spec]] = {
    "azure": _azure,
    "aws": _aws,
    "gcp": _gcp,
    "vsphere": _vsphere,
    "openstack": _openstack,
    "proxmox": _proxmox,
}
