"""Access read back from Windows equals the wanted access however it is spelled."""

import json
from pathlib import Path

import pytest

from transom.model.codec import decode
from transom.model.recipe import Recipe
from transom.node.engine.step import NodeSpec
from transom.node.host.access import foreign_folders, same_access
from transom.node.host.values import PathKind
from transom.node.steps.directories import Directories
from transom.testing.simulated_disk import Entry
from transom.testing.simulated_host import SimulatedHost

_DATA = Path(__file__).parents[3] / "data" / "recipes"
_RECIPE = (_DATA / "k137-2022-containerd-flannel-overlay.json").read_text(encoding="utf-8")
GOLDEN = decode(Recipe, json.loads(_RECIPE))
WANTED = "O:BAG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"


@pytest.mark.parametrize(
    ("found", "same"),
    [
        (WANTED, True),
        ("O:SYG:SYD:P(A;OICI;0x1f01ff;;;BA)(A;OICI;FA;;;SY)", True),
        ("D:AI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)", False),
        ("D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;;FR;;;BU)", False),
        ("D:P(A;OICI;FA;;;SY)", False),
        ("D:P(XA;;FX;;;S-1-1-0;(WIN://x))", False),
        ("O:BAG:SY", False),
        ("O:S-1-5-21-7-7-7-1001G:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)", False),
        ("D:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)", False),
        # What kubelet.exe makes of it (pkg/util/filesystem Chmod 0750): SYSTEM is an administrator too.
        ("O:BAG:SYD:PAI(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;SY)(A;OICI;;;;BU)", True),
        ("O:BAG:SYD:PAI(A;OICI;FA;;;BA)(A;OICI;FA;;;SY)(D;;FR;;;SY)", False),
        ("O:BAG:SYD:PAI(A;;FA;;;SY)(A;;FA;;;BA)", False),
        ("O:BAG:SYD:PAI(A;OICIIO;FA;;;SY)(A;OICIIO;FA;;;BA)", False),
    ],
)
def test_descriptors_are_compared_by_what_they_allow(found, same):
    assert same_access(found, WANTED) is same


DRIVERS = r"C:\usr\libexec\kubernetes\kubelet-plugins\volume\exec"
USER = "S-1-5-21-7-7-7-1001"


@pytest.mark.parametrize("path", [r"C:\usr", DRIVERS, r"C:\k", r"C:\opt\cni"])
def test_a_folder_of_somebody_else_on_the_way_to_what_is_closed_is_refused(path):
    """Whoever owns it can put another in its place, or left a program in it."""
    host = SimulatedHost()
    host.files.make_directory(path)
    host.files.set_acl(path, f"O:{USER}G:BUD:AI(A;OICIID;FA;;;BA)")
    (refusal,) = foreign_folders(host.files, GOLDEN)
    assert (refusal.subject, refusal.found) == (path, f"a folder of {USER}")
    assert f"icacls {path} /setowner *S-1-5-32-544" in refusal.fix


def test_a_link_on_the_way_is_refused_and_a_bare_host_is_not():
    host = SimulatedHost()
    assert [*foreign_folders(host.files, GOLDEN)] == []
    host.disk._seen[r"c:\usr"] = Entry(PathKind.LINK, r"C:\usr")
    (refusal,) = foreign_folders(host.files, GOLDEN)
    assert refusal.found == "a link to another place"


def test_what_the_kubelet_makes_of_its_logs_folder_is_no_drift():
    """It closes the folder again at each start; a second apply must find nothing to do."""
    host, spec = SimulatedHost(), NodeSpec(recipe=GOLDEN)
    for item in GOLDEN.directories:
        host.files.make_directory(item.path)
        host.files.set_acl(item.path, item.acl or "O:BAG:SYD:AI")
    logs = r"C:\var\log\containers"
    host.files.set_acl(logs, "O:BAG:SYD:PAI(A;OICI;FA;;;BA)(A;OICI;0x1200a9;;;SY)(A;OICI;;;;BU)")
    assert [*Directories().check(host, spec)] == []
    host.files.set_acl(logs, f"O:{USER}G:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)")
    assert [drift.subject for drift in Directories().check(host, spec)] == [logs]
