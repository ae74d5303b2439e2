"""What `Prepare-Node.ps1` starts, on a Windows host of the lab: the folder's files, words, a token by stdin.

The script itself needs a PowerShell, which the lab has not; these are its three commands.
"""

import asyncio
import json

import pytest
from tests.support.lab_node import PROGRAM, Site

from transom.model.codec import encode
from transom.model.entry import BroughtFile, NodeEntry
from transom.model.journal import Owner
from transom.model.request import Verb
from transom_lab.network import CONTROL_PLANE

ABOUT = r"--recipe C:\site\recipe.json --entry C:\site\node.json --output text"
_FILE = BroughtFile(file="f", url="", sha256="0" * 64)


@pytest.fixture(scope="module")
def site(bare_lab):
    """A bare host with the folder that `transom script prepare` writes."""
    with bare_lab("script") as lab:
        made = Site(lab)
        entry = NodeEntry(
            python=_FILE,
            program=_FILE,
            owner=Owner(cluster="", fleet="lab", who="script"),
            endpoint=f"{CONTROL_PLANE}:6443",
            ca_hashes=(made.ca_hash,),
        )
        folder = made.host.drive_c / "site"
        folder.mkdir()
        (folder / "recipe.json").write_text(json.dumps(encode(made.recipe)))
        (folder / "node.json").write_text(json.dumps(encode(entry)))
        yield made


def started(site, command, text=""):
    done = asyncio.run(site._call(f"{PROGRAM} {command} {ABOUT}", text))
    return done.exit_status or 0, done.stdout


def test_the_script_s_commands_make_a_ready_node(site):
    code, said = started(site, "prepare --kubernetes-version v1.2.3")
    assert (code, said.startswith("error: ")) == (2, True), said
    code, said = started(site, "prepare")
    if code == 4:
        assert "restarted first" in said
        site.host.reboot()
        code, said = started(site, "prepare")
    assert code == 0, said
    assert "win1: prepare done" in said
    code, said = started(site, "prepare")
    assert (code, " changed " in said) == (0, False), said

    token = site.lab.control_plane.create_token(site.lab.program("kubeadm"), ttl="1h0m0s")
    code, said = started(site, "join", f"{token}\r\n")
    assert code == 0, said
    assert "win1: join done" in said
    site.await_ready()
    state = site.host.drive_c / "k" / "transom"
    written = [path.read_bytes() for path in state.rglob("*") if path.is_file()]
    assert not [content for content in written if token.encode() in content]

    found = site.call("inventory").result
    assert found["joinedTo"] == f"{CONTROL_PLANE}:6443"
    assert found["installed"]["kubelet"] == site.recipe.target.kubernetes
    assert next(volume["root"] for volume in found["volumes"]) == "C:\\"
    assert found["features"]["Containers"] == "enabled"
    assert found["edition"]
    assert site.run(Verb.RESET).code == 0
