"""Boot data as a platform takes it: encoded, on an image with its metadata, or as guestinfo keys.

Pure; what a platform would refuse is refused here, with every reason.
"""

import base64
import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import field

from transom.bootstrap.iso import iso
from transom.bootstrap.lint import size_on
from transom.bootstrap.reader import GZIP
from transom.errors import Refused
from transom.facts.cloudbaseinit import Trap
from transom.facts.platforms import Platform
from transom.facts.rows import At, one
from transom.model.problem import Refusal
from transom.model.records import dataclass

FORMS = ("nocloud", "configdrive")
_LABELS = {"nocloud": "cidata", "configdrive": "config-2"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """What the metadata says about the machine."""

    hostname: str
    instance_id: str = ""
    public_keys: tuple[str, ...] = ()
    network_config: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """Boot data in its form: the bytes to hand over, and what the image must be set to.

    `keys` are settings of the machine, by name, where the platform wants those instead of a file.
    """

    form: str
    content: bytes = field(repr=False)
    size: int
    keys: tuple[str, ...] = ()
    services: tuple[str, ...]
    advice: str = ""


def pack(data: bytes, platform: Platform, identity: Identity, *, form: str = "") -> Packed:
    """Pack boot data for a platform, in its own form or in another it can attach."""
    form = form or platform.form
    _refuse(data, platform, form)
    services = platform.enable
    if form in FORMS:
        files = _nocloud(data, identity) if form == "nocloud" else _config_drive(data, identity)
        content = iso(_LABELS[form], files)
        services = services if form == platform.form else _services_of(form)
        return Packed(
            form=form, content=content, size=len(data), services=services, advice=platform.advice
        )
    if form == "guestinfo":
        keys = _guestinfo(data, identity)
        content = "".join(f"{name}={value}\n" for name, value in keys.items()).encode()
    elif form == "base64":
        keys = {}
        content = base64.b64encode(data)
    else:
        keys = {}
        content = data
    return Packed(
        form=form,
        content=content,
        size=size_on(data, platform),
        keys=tuple(keys),
        services=services,
        advice=platform.advice,
    )


def instance_id_of(data: bytes, hostname: str) -> str:
    """An id that is the machine's as long as its boot data is the same: new data runs anew."""
    return f"iid-{hashlib.sha256(hostname.encode() + bytes(1) + data).hexdigest()[:16]}"


def _refuse(data: bytes, platform: Platform, form: str) -> None:
    reasons = [] if form in FORMS and form != platform.form else [*_reasons(data, platform)]
    if reasons:
        raise Refused(reasons, subject=f"boot data for {platform.title}")


def _reasons(data: bytes, platform: Platform) -> Iterator[Refusal]:
    size = size_on(data, platform)
    if 0 < platform.limit < size:
        counted = " as base64" if platform.counted == "base64" else ""
        yield _because("BOOT008", f"{size} bytes{counted}; {platform.title} takes {platform.limit}")
    if data.startswith(GZIP) and not platform.unpacks_gzip:
        yield _because("BOOT006", "compressed data")


def _because(trap: str, found: str) -> Refusal:
    row = one(Trap, trap, At())
    return Refusal(row.id, "boot data", found, row.text, row.fix, row.source)


def _services_of(form: str) -> tuple[str, ...]:
    """The service that reads such an image, whatever the platform's own is."""
    donor = "proxmox" if form == "nocloud" else "openstack"
    return one(Platform, donor, At()).enable[:1]


def _nocloud(data: bytes, identity: Identity) -> dict[str, bytes]:
    metadata: dict[str, object] = {
        "instance-id": identity.instance_id or instance_id_of(data, identity.hostname),
        "local-hostname": identity.hostname,
    }
    if identity.public_keys:
        metadata["public-keys"] = list(identity.public_keys)
    files = {"user-data": data, "meta-data": _json(metadata)}
    if identity.network_config:
        files["network-config"] = identity.network_config
    return files


def _config_drive(data: bytes, identity: Identity) -> dict[str, bytes]:
    metadata: dict[str, object] = {
        "uuid": identity.instance_id or instance_id_of(data, identity.hostname),
        "hostname": identity.hostname,
        "name": identity.hostname,
    }
    if identity.public_keys:
        metadata["public_keys"] = {str(n): key for n, key in enumerate(identity.public_keys)}
    files = {"openstack/latest/user_data": data, "openstack/latest/meta_data.json": _json(metadata)}
    if identity.network_config:
        files["openstack/latest/network_data.json"] = identity.network_config
    return files


def _guestinfo(data: bytes, identity: Identity) -> dict[str, str]:
    metadata: dict[str, object] = {
        "instance-id": identity.instance_id or instance_id_of(data, identity.hostname),
        "local-hostname": identity.hostname,
    }
    if identity.public_keys:
        metadata["public-keys-data"] = "\n".join(identity.public_keys)
    if identity.network_config:
        metadata["network"] = base64.b64encode(identity.network_config).decode()
        metadata["network.encoding"] = "base64"
    whole = data if data.startswith(GZIP) else gzip.compress(data, mtime=0)
    return {
        "guestinfo.metadata": base64.b64encode(_json(metadata)).decode(),
        "guestinfo.metadata.encoding": "base64",
        "guestinfo.userdata": base64.b64encode(whole).decode(),
        "guestinfo.userdata.encoding": "gzip+base64",
    }


def _json(value: Mapping[str, object]) -> bytes:
    """JSON, which every service reads where it also reads YAML."""
    return (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode()
