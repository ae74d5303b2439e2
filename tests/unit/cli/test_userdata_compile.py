"""`transom userdata compile`: from a fleet and its lock to boot data, or every reason why not."""

import re
from typing import Any

import pytest

from transom.cli.main import main
from transom.facts.platforms import Platform
from transom.facts.rows import At, one

TOKEN = "abcdef.0123456789abcdef"


@pytest.fixture
def site(locked_site, capsys):
    """A fleet with a lock; give a function that compiles and the folder."""

    def run(*options: Any) -> Any:
        file, out = str(locked_site / "fleet.yaml"), str(locked_site / "out")
        code = main(["userdata", "compile", "-f", file, "--out", out, *options])
        return code, *capsys.readouterr()

    compile_: Any = run
    compile_.folder = locked_site
    return compile_


@pytest.mark.parametrize("form", ["cloud-config", "multipart", "script"])
def test_boot_data_fits_the_smallest_platform(site, form):
    code, out, err = site(
        "--platform", "aws", "--format", form, "--program-url", "https://f/node.pyz"
    )
    assert (code, err) == (0, "")
    assert re.search(r"[0-9]+ bytes", out)
    written = site.folder / "out"
    assert written.stat().st_size <= one(Platform, "aws", At()).limit
    assert written.stat().st_mode & 0o077 == 0


def test_the_program_is_embedded_where_nothing_limits_it(site):
    assert site("--platform", "proxmox")[0] == 0
    assert (site.folder / "out").stat().st_size > 100_000


def test_the_program_can_be_written_to_be_served(site):
    assert site("--write-program", str(site.folder / "node.pyz"))[0] == 0
    assert (site.folder / "node.pyz").read_bytes()[:2] == b"PK"


def test_a_token_is_read_from_a_file_and_needs_to_know_where_to_join(site):
    (site.folder / "token").write_text(TOKEN)
    code, _, complaint = site("--join", "token")
    assert code == 2
    assert "--token-file" in complaint


def test_what_no_lock_has_is_not_used(site):
    (site.folder / "transom.lock").unlink()
    code, _, complaint = site()
    assert code == 2
    assert "transom lock" in complaint


def test_an_unknown_host_is_told(site):
    assert site("--host", "nobody")[0] == 2
