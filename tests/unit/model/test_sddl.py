"""The access lists we write say what we mean, in both directions."""

import pytest

from transom.facts import rows
from transom.facts.install import AccessRow, DirectoryRow
from transom.facts.rows import At
from transom.model import sddl

CLOSED = sddl.parse(rows.one(AccessRow, "access-administrators", At()).sddl)
CLOSED_FILE = sddl.parse(rows.one(AccessRow, "access-administrators-file", At()).sddl)
# What a directory made directly below C:\ gets on Windows Server when nobody says otherwise.
DEFAULT = sddl.parse(
    "D:AI(A;OICIID;FA;;;BA)(A;OICIID;FA;;;SY)(A;OICIID;0x1200a9;;;BU)(A;OICIIOID;GA;;;CO)"
    "(A;CIID;0x2;;;BU)(A;CIID;0x4;;;BU)"
)


@pytest.mark.parametrize("who", [sddl.SYSTEM, sddl.ADMINISTRATORS])
@pytest.mark.parametrize("access", [CLOSED, CLOSED.child(), CLOSED_FILE])
def test_system_and_administrators_keep_everything(access, who):
    assert access.allows(who, sddl.FULL)


@pytest.mark.parametrize("who", [sddl.USERS, sddl.AUTHENTICATED, sddl.EVERYONE, "S-1-5-21-7"])
@pytest.mark.parametrize("access", [CLOSED, CLOSED.child(), CLOSED_FILE])
@pytest.mark.parametrize("mask", [sddl.READ, sddl.WRITE, sddl.EXECUTE])
def test_nobody_else_gets_anything(access, who, mask):
    assert not access.allows(who, mask)


def test_nothing_comes_down_from_the_parent():
    assert CLOSED.protected
    assert CLOSED_FILE.protected


def test_where_pods_keep_volumes_users_still_read():
    """Directories without an access list inherit, and there container users can read."""
    inherited = {row.key for row in rows.read(DirectoryRow) if not row.access}
    assert "kubelet_dir" in inherited
    assert DEFAULT.allows(sddl.USERS, sddl.READ)


@pytest.mark.parametrize(
    "key",
    [
        *("k", "kubernetes_dir", "kubelet_pki", "pki", "kubelet_logs", "cni_bin", "cni_conf"),
        *("containerd_root", "containerd_state", "pod_logs", "container_logs", "volume_plugins"),
    ],
)
def test_what_holds_keys_or_programs_is_closed(key):
    (row,) = (row for row in rows.read(DirectoryRow) if row.key == key)
    assert row.access == "access-administrators"


def test_a_deny_before_an_allow_wins():
    access = sddl.parse("D:(D;;FW;;;BU)(A;;FA;;;WD)")
    assert not access.allows(sddl.USERS, sddl.WRITE)
    assert access.allows(sddl.EVERYONE, sddl.WRITE)


def test_an_entry_only_for_children_does_not_count_here():
    access = sddl.parse("D:(A;OICIIO;FA;;;BU)")
    assert not access.allows(sddl.USERS, sddl.READ)
    assert access.child().allows(sddl.USERS, sddl.READ)


@pytest.mark.parametrize("text", ["", "O:BA", "D:(X;;FA;;;SY)", "D:(A;;QQ;;;SY)", "D:(A;;FA;SY)"])
def test_malformed_descriptors_are_refused(text):
    with pytest.raises(ValueError, match=r"access|rights"):
        sddl.parse(text)
