"""The real cloudbase-init executes a cloud-config in a host: files are written, commands run."""

import shutil

import pytest
from tests.support.lab_cloudbase_init import RUN, packages, write

_USER_DATA = r"""#cloud-config
write_files:
- path: C:\k\written.txt
  content: written by cloudbase-init
runcmd:
- echo ran> C:\k\ran.txt
- exit 1003
"""


@pytest.fixture(scope="module")
def host(cluster):
    """The first host with cloudbase-init on its drive."""
    found = cluster.lab.host("win1")
    target = found.drive_c / "cloudbase-init"
    shutil.copytree(packages(), target)
    write(found, r"C:\k\run.py", RUN)
    yield found
    shutil.rmtree(target)


def test_a_cloud_config_is_executed(cluster, host):
    """The last command's exit code asks for a reboot, which cloudbase-init passes on."""
    write(host, r"C:\k\user-data", _USER_DATA)
    answer = cluster.ssh("win1", r"C:\Python\python.exe C:\k\run.py")
    assert answer.code == 0, answer.text
    assert (host.drive_c / "k/written.txt").read_text() == "written by cloudbase-init"
    assert (host.drive_c / "k/ran.txt").read_text().strip() == "ran"
    assert answer.stdout.strip() == "(2, True)", answer.text
