"""A packed image is mounted by an operating system, and cloudbase-init's services read the mounted drive."""

import os
import subprocess

import pytest
from tests import cloudbase

from transom.bootstrap.pack import Identity, pack
from transom.facts.platforms import Platform
from transom.facts.rows import At, one

DATA = b"#cloud-config\nruncmd: [echo a]\n"


@pytest.fixture
def mounted(tmp_path):
    """Mount an image; give its folder and the label that the system sees."""
    folder = tmp_path / "drive"
    folder.mkdir()

    def mount(content):
        image = tmp_path / "image.iso"
        image.write_bytes(content)
        done = subprocess.run(
            ["mount", "-o", "loop,ro", image, folder], capture_output=True, check=False
        )
        if done.returncode:
            pytest.skip(f"images cannot be mounted here: {done.stderr.decode().strip()}")
        found = subprocess.run(
            ["blkid", "-o", "value", "-s", "LABEL", image],
            capture_output=True,
            check=True,
            text=True,
        )
        return folder, found.stdout.strip()

    yield mount
    subprocess.run(["umount", folder], capture_output=True, check=False)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() != 0, reason="mounting needs root")
@pytest.mark.parametrize("form", ["nocloud", "configdrive"])
def test_a_mounted_image_is_read_by_its_service(mounted, form):
    identity = Identity(hostname="win-01", instance_id="id-1")
    packed = pack(DATA, one(Platform, "qemu", At()), identity, form=form)
    service = cloudbase.drive_service(form, *mounted(packed.content))
    assert service.get_decoded_user_data() == DATA
    assert service.get_host_name() == "win-01"
    assert service.get_instance_id() == "id-1"
