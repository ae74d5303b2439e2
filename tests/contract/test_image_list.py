"""`transom image list`: what the facts know, and what Azure's own command adds to it."""

import json

import pytest

from transom.cli.main import main

GALLERY = """#!/bin/sh
case "$*" in
  *list-community*-o\\ json*) echo '[{"name": "1.36.4"}, {"name": "1.37.1"}]' ;;
  *"vm image list"*) echo '[{"urn": "cncf-upstream:capi-windows:x:2026.1", "version": "2026.1"}]' ;;
  *) exit 9 ;;
esac
"""


@pytest.fixture
def az(tmp_path, monkeypatch):
    """Put a program of that name on the path."""

    def put(script):
        (tmp_path / "az").write_text(script)
        (tmp_path / "az").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")

    return put


def listed(capsys, *options):
    assert main(["image", "list", "--platform", "azure", "-o", "json", *options]) == 0
    return {item["id"]: item for item in json.loads(capsys.readouterr().out)["items"]}


def test_what_is_published_now_is_asked_for_and_shown(az, capsys):
    az(GALLERY)
    items = listed(capsys)
    assert items["image-azure-2022"]["published"] == ["1.36.4", "1.37.1"]
    assert items["image-azure-marketplace-2019"]["published"] == ["2026.1"]
    assert main(["image", "list", "--platform", "azure"]) == 0
    assert "  now:   1.36.4, 1.37.1\n" in capsys.readouterr().out


def test_nobody_is_asked_offline(az, capsys):
    az("#!/bin/sh\nexit 1\n")
    items = listed(capsys, "--offline")
    assert all((item["published"], item["problem"]) == ([], "") for item in items.values())


@pytest.mark.parametrize(
    ("script", "problem"),
    [("echo 'Please run az login' >&2; exit 1", "az ended with 1: Please run az login"),
     ("echo nothing", "az printed no list of images"), ("echo '[1]'", "az printed no list of images")],
)  # fmt: skip
def test_where_it_cannot_say_the_list_is_there_all_the_same(az, capsys, script, problem):
    az(f"#!/bin/sh\n{script}\n")
    assert {item["problem"] for item in listed(capsys).values()} == {problem}
