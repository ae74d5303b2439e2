"""The source of each platform's template: which machine packer makes, and how it comes in.

One function per platform, each answering packer's settings and the variables that it reads. Passwords
are made by packer while it builds and are in no file; SSH takes keys alone.
"""

import json
from collections.abc import Callable, Mapping
from typing import Any

from transom.image.packer.plan import FOLDER, ImagePlan, Variable, base_of
from transom.model.records import dataclass

_FINISH = r"cmd.exe /c C:\Windows\Temp\transom-finish.cmd"
_BOOT_FROM_CD = ["<spacebar><wait><spacebar><wait><spacebar><wait><spacebar>"]
_RATIO = 1024


@dataclass(frozen=True, slots=True)
class Source:
    """Packer's settings, and the variables in them."""

    settings: Mapping[str, Any]
    variables: tuple[Variable, ...]


def source_of(plan: ImagePlan) -> Source:
    """The source of the plan's platform."""
    return _SOURCES[plan.platform.id](plan)


def _text(name: str, description: str, sample: Any, value: Any = None, **more: Any) -> Variable:
    return Variable(name=name, description=description, sample=sample, value=value, **more)


def _secret(name: str, description: str) -> Variable:
    return _text(name, description, "secret", sensitive=True)


def _number(name: str, description: str, value: int) -> Variable:
    return _text(name, description, value, value, type="number")


_MACHINE = (
    _number("cpus", "processors of the machine that is built", 4),
    _number("memory_mb", "its memory in MiB", 8192),
    _number("disk_gb", "its disk in GiB", 80),
)
_KEY = (
    _text(
        "ssh_public_key",
        "the public half of the build's SSH key, one line",
        "ssh-ed25519 AAAA build",
    ),
    _text(
        "ssh_private_key_file", "the file with its private half, outside this folder", "image-build"
    ),
)
_ISO = (
    _text("iso_url", "the ISO image of Windows Server: a path or a URL", "windows.iso"),
    _text("iso_checksum", "its sum, such as sha256:...", "sha256:" + "0" * 64),
    _number("image_index", "the edition's number on it; 3 is Datacenter without desktop", 3),
    _text("product_key", "a key for setup; evaluation media need none", "", ""),
)
_BY_KEY = {
    "communicator": "ssh",
    "ssh_username": "Administrator",
    "ssh_private_key_file": "${var.ssh_private_key_file}",
    "ssh_timeout": "4h",
    "ssh_file_transfer_method": "sftp",
}
_SHUTDOWN = {"shutdown_command": _FINISH, "shutdown_timeout": "1h"}


def _file(name: str, **values: str) -> str:
    """An expression: a rendered file with values put in at build time."""
    path = f'"${{path.root}}/{FOLDER}/{name}"'
    given = ", ".join(f"{key} = {value}" for key, value in values.items())
    return f"${{templatefile({path}, {{{given}}})}}"


def _disc() -> dict[str, Any]:
    """The disc that answers setup's questions."""
    return {
        "cd_label": "transom",
        "cd_content": {
            "autounattend.xml": _file(
                "autounattend.xml",
                administrator_password="local.administrator_password",  # noqa: S106 - an expression
                image_index="var.image_index",
                product_key="var.product_key",
            ),
            "setup.cmd": _file("setup.cmd", authorized_keys="var.ssh_public_key"),
        },
    }


def _iso() -> dict[str, Any]:
    return {"iso_url": "${var.iso_url}", "iso_checksum": "${var.iso_checksum}"}


def _qemu(plan: ImagePlan) -> Source:
    return Source(
        {
            **_BY_KEY,
            **_SHUTDOWN,
            **_iso(),
            **_disc(),
            "cd_files": "${var.driver_folders}",
            "vm_name": f"{plan.name}.qcow2",
            "output_directory": "${var.output_directory}",
            "format": "qcow2",
            "accelerator": "${var.accelerator}",
            "cpus": "${var.cpus}",
            "memory": "${var.memory_mb}",
            "disk_size": '${format("%dG", var.disk_gb)}',
            "disk_interface": "${var.disk_interface}",
            "net_device": "${var.net_device}",
            "headless": True,
        },
        (
            *_ISO,
            *_KEY,
            *_MACHINE,
            _text("output_directory", "where the image is written", "output", "output"),
            _text("accelerator", "such as kvm, hvf or tcg", "kvm", "kvm"),
            _text("disk_interface", "virtio needs drivers: see driver_folders", "ide", "ide"),
            _text("net_device", "virtio-net needs drivers: see driver_folders", "e1000", "e1000"),
            _text(
                "driver_folders",
                "folders for the disc; setup takes drivers from one named drivers",
                [],
                [],
                type="list(string)",
            ),
        ),
    )


def _hyperv(plan: ImagePlan) -> Source:
    return Source(
        {
            **_BY_KEY,
            **_SHUTDOWN,
            **_iso(),
            **_disc(),
            "vm_name": plan.name,
            "output_directory": "${var.output_directory}",
            "generation": 2,
            "enable_secure_boot": True,
            "secure_boot_template": "MicrosoftWindows",
            "switch_name": "${var.switch_name}",
            "cpus": "${var.cpus}",
            "memory": "${var.memory_mb}",
            "disk_size": f"${{var.disk_gb * {_RATIO}}}",
            "boot_wait": "3s",
            "boot_command": _BOOT_FROM_CD,
            "headless": True,
        },
        (
            *_ISO,
            *_KEY,
            *_MACHINE,
            _text("output_directory", "where the image is written", "output", "output"),
            _text("switch_name", "the virtual switch", "Default Switch", "Default Switch"),
        ),
    )


def _vsphere(plan: ImagePlan) -> Source:
    return Source(
        {
            **_BY_KEY,
            **_SHUTDOWN,
            **_iso(),
            **_disc(),
            "vcenter_server": "${var.vcenter_server}",
            "username": "${var.vcenter_username}",
            "password": "${var.vcenter_password}",
            "datacenter": "${var.datacenter}",
            "cluster": "${var.cluster}",
            "datastore": "${var.datastore}",
            "folder": "${var.folder}",
            "iso_paths": ["[] /vmimages/tools-isoimages/windows.iso"],
            "vm_name": plan.name,
            "guest_os_type": base_of(plan),
            "firmware": "efi-secure",
            "CPUs": "${var.cpus}",
            "RAM": "${var.memory_mb}",
            "disk_controller_type": ["lsilogic-sas"],
            "storage": [
                {"disk_size": f"${{var.disk_gb * {_RATIO}}}", "disk_thin_provisioned": True}
            ],
            "network_adapters": [{"network": "${var.network}", "network_card": "e1000e"}],
            "boot_wait": "3s",
            "boot_command": _BOOT_FROM_CD,
            "remove_cdrom": True,
            "convert_to_template": True,
        },
        (
            *_ISO,
            *_KEY,
            *_MACHINE,
            _text("vcenter_server", "the vCenter", "vcenter.example.org"),
            _text("vcenter_username", "who builds", "builder@vsphere.local"),
            _secret("vcenter_password", "that user's password: set PKR_VAR_vcenter_password"),
            _text("datacenter", "where the machine is built", "dc1"),
            _text("cluster", "on which cluster", "cluster1"),
            _text("datastore", "its datastore", "datastore1"),
            _text("folder", "its folder", "templates"),
            _text("network", "a network with DHCP", "VM Network"),
        ),
    )


def _proxmox(plan: ImagePlan) -> Source:
    disc = {
        **_disc(),
        "device": "sata3",
        "iso_storage_pool": "${var.iso_storage_pool}",
        "unmount": True,
    }
    virtio = {"device": "sata4", "iso_file": "${var.virtio_iso_file}", "unmount": True}
    return Source(
        {
            **_BY_KEY,
            **_iso(),
            "proxmox_url": "${var.proxmox_url}",
            "username": "${var.proxmox_username}",
            "token": "${var.proxmox_token}",
            "node": "${var.node}",
            "iso_storage_pool": "${var.iso_storage_pool}",
            "unmount_iso": True,
            "additional_iso_files": [disc, virtio],
            "template_name": plan.name,
            "os": base_of(plan),
            "qemu_agent": True,
            "cores": "${var.cpus}",
            "memory": "${var.memory_mb}",
            "disks": [
                {
                    "type": "sata",
                    "storage_pool": "${var.storage_pool}",
                    "storage_pool_type": "${var.storage_pool_type}",
                    "format": "raw",
                    "disk_size": '${format("%dG", var.disk_gb)}',
                }
            ],
            "network_adapters": [{"model": "e1000", "bridge": "${var.bridge}"}],
        },
        (
            *_ISO,
            *_KEY,
            *_MACHINE,
            _text("proxmox_url", "the API", "https://pve.example.org:8006/api2/json"),
            _text("proxmox_username", "the token's id", "builder@pve!packer"),
            _secret("proxmox_token", "the API token: set PKR_VAR_proxmox_token"),
            _text("node", "the node to build on", "pve1"),
            _text("storage_pool", "of the disk", "local-lvm", "local-lvm"),
            _text("storage_pool_type", "its type", "lvm-thin", "lvm-thin"),
            _text("iso_storage_pool", "of ISO images", "local", "local"),
            _text(
                "virtio_iso_file",
                "the ISO image with the guest agent",
                "local:iso/virtio-win.iso",
                "local:iso/virtio-win.iso",
            ),
            _text("bridge", "a network with DHCP", "vmbr0", "vmbr0"),
        ),
    )


def _openstack(plan: ImagePlan) -> Source:
    return Source(
        {
            **_BY_KEY,
            "cloud": "${var.cloud}",
            "image_name": plan.name,
            "source_image_name": "${var.source_image_name}",
            "flavor": "${var.flavor}",
            "networks": "${var.networks}",
            "floating_ip_network": "${var.floating_ip_network}",
            "config_drive": True,
            "user_data": _file("user-data.txt", authorized_keys="var.ssh_public_key"),
        },
        (
            *_KEY,
            _text("cloud", "its name in clouds.yaml", "mycloud"),
            _text(
                "source_image_name",
                f"an image of Windows Server {plan.windows} with cloudbase-init",
                f"windows-server-{plan.windows}",
            ),
            _text("flavor", "of the machine that is built", "m1.large"),
            _text("networks", "the ids of its networks", ["id"], type="list(string)"),
            _text("floating_ip_network", "whence its address comes; empty for none", "", ""),
        ),
    )


def _azure(plan: ImagePlan) -> Source:
    gallery = {
        "resource_group": "${var.gallery_resource_group}",
        "gallery_name": "${var.gallery}",
        "image_name": plan.name,
        "image_version": "${var.image_version}",
        "replication_regions": ["${var.location}"],
    }
    return Source(
        {
            "communicator": "winrm",
            "winrm_username": "packer",
            "winrm_use_ssl": True,
            "winrm_insecure": True,
            "winrm_timeout": "30m",
            "client_id": "${var.client_id}",
            "client_secret": "${var.client_secret}",
            "tenant_id": "${var.tenant_id}",
            "subscription_id": "${var.subscription_id}",
            "location": "${var.location}",
            "vm_size": "${var.vm_size}",
            "os_type": "Windows",
            "image_publisher": "MicrosoftWindowsServer",
            "image_offer": "WindowsServer",
            "image_sku": base_of(plan),
            "image_version": "latest",
            "secure_boot_enabled": True,
            "vtpm_enabled": True,
            "shared_image_gallery_destination": gallery,
        },
        (
            _text("client_id", "the service principal", "00000000-0000-0000-0000-000000000000"),
            _secret("client_secret", "its secret: set PKR_VAR_client_secret"),
            _text("tenant_id", "its tenant", "00000000-0000-0000-0000-000000000000"),
            _text("subscription_id", "who pays", "00000000-0000-0000-0000-000000000000"),
            _text("location", "the region", "westeurope"),
            _text("vm_size", "of the machine", "Standard_D4s_v5", "Standard_D4s_v5"),
            _text("gallery", "the compute gallery that gets the image", "nodes"),
            _text("gallery_resource_group", "the gallery's resource group", "images"),
            _text("image_version", "such as 1.0.0", "1.0.0"),
        ),
    )


def _aws(plan: ImagePlan) -> Source:
    return Source(
        {
            **{key: value for key, value in _BY_KEY.items() if key != "ssh_private_key_file"},
            "region": "${var.region}",
            "ami_name": f'{plan.name}-${{formatdate("YYYYMMDDhhmmss", timestamp())}}',
            "instance_type": "${var.instance_type}",
            "source_ami_filter": {
                "filters": {
                    "name": base_of(plan),
                    "root-device-type": "ebs",
                    "virtualization-type": "hvm",
                },
                "owners": ["amazon"],
                "most_recent": True,
            },
            "subnet_id": "${var.subnet_id}",
            "launch_block_device_mappings": [
                {
                    "device_name": "/dev/sda1",
                    "volume_size": "${var.disk_gb}",
                    "volume_type": "gp3",
                    "delete_on_termination": True,
                }
            ],
            "user_data": _file("user-data.txt"),
            "temporary_key_pair_type": "rsa",
            "metadata_options": {
                "http_endpoint": "enabled",
                "http_tokens": "required",
                "http_put_response_hop_limit": 1,
            },
        },
        (
            _text("region", "where it is built", "eu-central-1"),
            _text("instance_type", "of the machine", "m6i.xlarge", "m6i.xlarge"),
            _text("subnet_id", "a subnet that reaches the sources", "subnet-0123456789abcdef0"),
            _number("disk_gb", "its disk in GiB", 80),
        ),
    )


def _gcp(plan: ImagePlan) -> Source:
    return Source(
        {
            **{key: value for key, value in _BY_KEY.items() if key != "ssh_private_key_file"},
            "ssh_username": "transom",
            "project_id": "${var.project_id}",
            "zone": "${var.zone}",
            "machine_type": "${var.machine_type}",
            "disk_size": "${var.disk_gb}",
            "disk_type": "pd-ssd",
            "source_image_family": base_of(plan),
            "source_image_project_id": ["windows-cloud"],
            "image_name": f'{plan.name}-${{formatdate("YYYYMMDDhhmmss", timestamp())}}',
            "image_family": plan.name,
            "metadata": {
                "enable-windows-ssh": "TRUE",
                "sysprep-specialize-script-cmd": "googet -noconfirm=true install google-compute-engine-ssh",
            },
        },
        (
            _text("project_id", "the project", "my-project"),
            _text("zone", "where it is built", "europe-west3-a"),
            _text("machine_type", "of the machine", "n2-standard-4", "n2-standard-4"),
            _number("disk_gb", "its disk in GiB", 80),
        ),
    )


_SOURCES: Mapping[str, Callable[[ImagePlan], Source]] = {
    "aws": _aws,
    "azure": _azure,
    "gcp": _gcp,
    "hyperv": _hyperv,
    "openstack": _openstack,
    "proxmox": _proxmox,
    "qemu": _qemu,
    "vsphere": _vsphere,
}


def example(variables: tuple[Variable, ...]) -> bytes:
    """Values for what only the site knows, to be copied and changed; no secret has one."""
    asked = {
        item.name: item.sample for item in variables if item.value is None and not item.sensitive
    }
    return (json.dumps(asked, indent=2) + "\n").encode()
