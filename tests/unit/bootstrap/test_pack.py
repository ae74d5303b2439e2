"""Boot data packed for a platform is what cloudbase-init's own service for it reads back."""

import base64
import gzip
import importlib.util
import io
import json
from pathlib import Path

import pycdlib
import pytest
from tests import cloudbase

from transom.bootstrap.pack import Identity, instance_id_of, pack
from transom.errors import Refused
from transom.facts.platforms import Platform
from transom.facts.rows import At, one, read

DATA = b"#cloud-config\nruncmd: [echo a]\n"
IDENTITY = Identity(hostname="win-01", instance_id="id-1", public_keys=("ssh-ed25519 AAAA a",))


def platform(name):
    return one(Platform, name, At())


def unpack(image, folder):
    """Write the files of an image below a folder, by their Joliet names; answer its label."""
    opened = pycdlib.PyCdlib()
    opened.open_fp(io.BytesIO(image))
    for parent, _folders, files in opened.walk(joliet_path="/"):
        target = folder / parent.lstrip("/")
        target.mkdir(parents=True, exist_ok=True)
        for name in files:
            content = io.BytesIO()
            opened.get_file_from_iso_fp(content, joliet_path=f"{parent.rstrip('/')}/{name}")
            (target / name).write_bytes(content.getvalue())
    label = opened.pvd.volume_identifier.decode().strip()
    opened.close()
    return label


@pytest.mark.parametrize("name", ["azure", "aws", "openstack"])
def test_a_cloud_takes_base64(name):
    assert base64.b64decode(pack(DATA, platform(name), IDENTITY).content) == DATA


def test_google_takes_it_as_it_is():
    assert pack(DATA, platform("gcp"), IDENTITY).content == DATA


@pytest.mark.parametrize("name", ["proxmox", "hyperv", "qemu"])
def test_the_nocloud_service_reads_its_image(name, tmp_path):
    packed = pack(DATA, platform(name), IDENTITY)
    label = unpack(packed.content, tmp_path)
    service = cloudbase.drive_service("nocloud", tmp_path, label)
    assert service.get_decoded_user_data() == DATA
    assert service.get_instance_id() == "id-1"
    assert service.get_host_name() == "win-01"
    assert service.get_public_keys() == ["ssh-ed25519 AAAA a"]


def test_the_config_drive_service_reads_its_image(tmp_path):
    packed = pack(DATA, platform("hyperv"), IDENTITY, form="configdrive")
    label = unpack(packed.content, tmp_path)
    service = cloudbase.drive_service("configdrive", tmp_path, label)
    assert service.get_decoded_user_data() == DATA
    assert service.get_instance_id() == "id-1"
    assert service.get_host_name() == "win-01"
    assert service.get_public_keys() == ["ssh-ed25519 AAAA a"]


def test_a_drive_with_another_label_is_no_boot_data(tmp_path):
    unpack(pack(DATA, platform("qemu"), IDENTITY).content, tmp_path)
    assert cloudbase.drive_service("nocloud", tmp_path, "OTHER") is None


def test_the_guestinfo_service_reads_its_keys():
    packed = pack(DATA, platform("vsphere"), IDENTITY)
    pairs = [line.split("=", 1) for line in packed.content.decode().splitlines()]
    keys = {name.removeprefix("guestinfo."): value for name, value in pairs}
    service = cloudbase.guestinfo_service(keys)
    assert service.get_decoded_user_data() == DATA
    assert service.get_instance_id() == "id-1"
    assert service.get_host_name() == "win-01"
    assert service.get_public_keys() == ["ssh-ed25519 AAAA a"]


def test_what_a_platform_cannot_take_is_refused_with_every_reason():
    large = gzip.compress(bytes(range(256)) * 2000, compresslevel=0)
    with pytest.raises(Refused) as refused:
        pack(large, platform("azure"), IDENTITY)
    assert [reason.id for reason in refused.value.refusals] == ["BOOT008", "BOOT006"]
    assert pack(large, platform("azure"), IDENTITY, form="nocloud").content


def test_an_instance_keeps_its_id_until_its_boot_data_changes():
    same = instance_id_of(DATA, "win-01")
    assert same == instance_id_of(DATA, "win-01")
    assert same != instance_id_of(DATA + b"#", "win-01")
    assert same != instance_id_of(DATA, "win-02")


def test_every_platform_names_a_service_that_cloudbase_init_has():
    """By its source: some of these modules only Windows can load."""
    for row in read(Platform):
        for name in row.enable:
            module, _, kind = name.rpartition(".")
            spec = importlib.util.find_spec(module)
            assert spec is not None
            assert spec.origin is not None
            assert f"class {kind}(" in Path(spec.origin).read_text("utf-8")
            assert kind in row.service


def test_the_command_writes_a_file_for_its_owner_only(tmp_path, capsys):
    from transom.cli.main import main

    boot, out = tmp_path / "user-data", tmp_path / "out.iso"
    boot.write_bytes(DATA)
    options = ["--platform", "qemu", "--hostname", "win-01", "--out", str(out)]
    assert main(["userdata", "pack", str(boot), *options, "-o", "json"]) == 0
    assert out.stat().st_mode & 0o777 == 0o600
    document = json.loads(capsys.readouterr().out)
    assert document["form"] == "nocloud"
    assert document["services"] == [
        "cloudbaseinit.metadata.services.nocloudservice.NoCloudConfigDriveService"
    ]
    assert main(["userdata", "pack", str(boot), "--platform", "qemu", "--out", str(out)]) == 2
    assert "--hostname" in capsys.readouterr().err
