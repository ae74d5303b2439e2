"""`transom script prepare`: one script for everyone, and beside it all that one host needs."""

import hashlib
import json
from pathlib import Path

import pytest

from transom.cli.main import main
from transom.fleet.on_host.program import own_program
from transom.fleet.script import script
from transom.model.codec import decode
from transom.model.entry import NodeEntry
from transom.model.recipe import Recipe

LEGACY = Path(__file__).parents[3] / "data" / "fleets" / "k120-2019-docker-wins-overlay.yaml"


@pytest.fixture
def write(locked_site, capsys, monkeypatch):
    """Give a function that writes the folder of a host."""
    monkeypatch.chdir(locked_site)

    def run(*options, out="out"):
        code = main(["script", "prepare", "-o", out, *options])
        return code, *capsys.readouterr()

    return run


def test_the_folder_has_the_script_the_recipe_the_program_and_its_sums(write, locked_site):
    code, said, _ = write("--host", "win-01")
    assert code == 0
    found = {path.name: path.read_bytes() for path in (locked_site / "out").iterdir()}
    assert set(found) == {"Prepare-Node.ps1", "recipe.json", "node.json", "node.pyz"}
    entry = decode(NodeEntry, json.loads(found["node.json"]))
    assert entry.program.sha256 == hashlib.sha256(found["node.pyz"]).hexdigest()
    assert entry.python.sha256 == "a" * 64
    assert entry.python.url in said
    assert found["node.pyz"] == own_program()
    recipe = decode(Recipe, json.loads(found["recipe.json"]))
    assert recipe.identity.name == "win-01"
    assert all(artifact.sha256 for artifact in recipe.artifacts)


def test_the_script_is_the_same_for_every_host_and_plain_ascii(write, locked_site):
    text = (locked_site / "fleet.yaml").read_text().replace("win-01", "win-02")
    write(out="one")
    (locked_site / "fleet.yaml").write_text(text)
    write(out="two")
    first, second = (
        (locked_site / out / "Prepare-Node.ps1").read_bytes() for out in ("one", "two")
    )
    assert first == second == script()
    assert first.isascii()
    assert first.count(b"\r\n") == first.count(b"\n")
    assert (locked_site / "one" / "recipe.json").read_bytes() != (
        locked_site / "two" / "recipe.json"
    ).read_bytes()


def test_a_script_that_the_site_signed_is_kept(write, locked_site):
    write()
    path = locked_site / "out" / "Prepare-Node.ps1"
    signed = path.read_bytes() + b"\r\n# SIG # Begin signature block\r\n# MII...\r\n"
    path.write_bytes(signed)
    _, said, _ = write()
    assert "signed, kept" in said
    assert path.read_bytes() == signed
    path.write_bytes(b"# older\r\n# SIG # Begin signature block\r\n")
    write()
    assert path.read_bytes() == script()


def test_python_is_put_beside_where_a_package_is_named(write, locked_site):
    (locked_site / "embed.zip").write_bytes(b"PK")
    (locked_site / "transom.lock").write_text(
        (locked_site / "transom.lock")
        .read_text()
        .replace("a" * 64, hashlib.sha256(b"PK").hexdigest())
    )
    code, said, complaint = write("--python", "embed.zip")
    assert (code, complaint) == (0, "")
    assert "beside it" in said
    assert (locked_site / "out" / "python.zip").read_bytes() == b"PK"


def test_where_to_join_is_told_only_where_the_fleet_tells_it(write, locked_site):
    write()
    assert json.loads((locked_site / "out" / "node.json").read_text())["endpoint"] == ""


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (["--host", "nobody"], "has a host nobody"),
        (["--lock", "none.lock"], "no sum is known"),
        (["-f", "none.yaml"], "cannot read none.yaml"),
    ],
)
def test_nothing_is_written_where_something_is_missing(write, locked_site, options, complaint):
    code, _, said = write(*options)
    assert code == 2
    assert complaint in said
    assert not (locked_site / "out").exists()


def test_a_version_at_its_end_needs_the_fleets_leave(write, locked_site):
    path = locked_site / "fleet.yaml"
    path.write_text(
        LEGACY.read_text("utf-8").replace("endOfLifePolicy: Allow", "endOfLifePolicy: Refuse")
    )
    code, _, said = write()
    assert code == 3
    assert "endOfLifePolicy: Allow" in said
    assert not (locked_site / "out").exists()
