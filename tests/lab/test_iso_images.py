"""A packed image is mounted by an operating system, and cloudbase-init's services read the mounted drive."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests import cloudbase

from transom.bootstrap.pack import Identity, pack
from transom.facts.platforms import Platform
from transom.facts.rows import At, one

DATA = b"#cloud-config\nruncmd: [echo a]\n"


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Callable[[bytes], tuple[Path, str]]]:
    """Mount an image in user space; give its folder and the label that the system sees."""
    folder = tmp_path / "drive"
    folder.mkdir()
    image = tmp_path / "image.iso"

    def mount(content: bytes) -> tuple[Path, str]:
        image.write_bytes(content)
        subprocess.run(["fuseiso", image, folder], check=True)
        label = subprocess.run(
            ["blkid", "-o", "value", "-s", "LABEL", image],
            capture_output=True,
            check=True,
            text=True,
        )
        return folder, label.stdout.strip()

    yield mount
    subprocess.run(["fusermount", "-u", folder], check=True)


@pytest.mark.parametrize("form", ["nocloud", "configdrive"])
def test_a_mounted_image_is_read_by_its_service(
    machine: None, mounted: Callable[[bytes], tuple[Path, str]], form: str
) -> None:
    del machine
    identity = Identity(hostname="win-01", instance_id="id-1")
    packed = pack(DATA, one(Platform, "qemu", At()), identity, form=form)
    service = cloudbase.drive_service(form, *mounted(packed.content))
    assert service.get_decoded_user_data() == DATA
    assert service.get_host_name() == "win-01"
    assert service.get_instance_id() == "id-1"
