"""How a host and its cluster are written on the command line."""

import io

import pytest

from transom.cli.options.host_access import Terminal, mirrors_of, version_of
from transom.errors import UsageError
from transom.remote.target import Target, parse_target


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("10.0.0.21", Target(host="10.0.0.21")),
        ("win-01.corp:2222", Target(host="win-01.corp", port=2222)),
        ("admin@win-01", Target(host="win-01", user="admin")),
        (r"CORP\admin@win-01", Target(host="win-01", user=r"CORP\admin")),
        ("[2001:db8::1]:22", Target(host="2001:db8::1", port=22)),
    ],
)
def test_an_address_names_user_host_and_port(text, target):
    assert parse_target(text) == target


@pytest.mark.parametrize("text", ["", "a@b@c", "2001:db8::1", "host:port", "host:"])
def test_what_is_no_address_is_the_users_mistake(text):
    with pytest.raises(UsageError, match="is no address"):
        parse_target(text)


def test_a_host_is_named_as_known_hosts_names_it():
    assert parse_target("h").name == "h"
    assert parse_target("h:2222").name == "[h]:2222"


def test_mirrors_are_pairs_of_addresses():
    pairs = ["https://a=https://b/x", "https://c=http://d"]
    assert mirrors_of(pairs) == {"https://a": "https://b/x", "https://c": "http://d"}


@pytest.mark.parametrize("pair", ["https://a", "a=b", "https://a=b", "=https://b"])
def test_a_mirror_that_is_no_pair_is_the_users_mistake(pair):
    with pytest.raises(UsageError, match="names no mirror"):
        mirrors_of([pair])


@pytest.mark.parametrize(("said", "trusted"), [("yes\n", True), ("y\n", False), ("\n", False)])
def test_only_a_whole_yes_trusts_a_host_and_the_fingerprint_is_shown(
    monkeypatch, capsys, said, trusted
):
    stream = io.StringIO(said)
    monkeypatch.setattr(stream, "isatty", lambda: True)
    monkeypatch.setattr("sys.stdin", stream)
    assert Terminal().trusts("h", "ssh-ed25519", "SHA256:abc") is trusted
    assert "SHA256:abc" in capsys.readouterr().err


def test_nobody_is_asked_where_there_is_no_terminal(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("yes\n"))
    assert Terminal().trusts("h", "ssh-ed25519", "SHA256:abc") is False
    assert Terminal().password("h", "u") is None


def test_a_version_is_read_with_or_without_v_and_nonsense_is_told():
    assert version_of("v1.37.1", option="--to") == "1.37.1"
    assert version_of("1.36.4", option="--to") == "1.36.4"
    assert version_of(None, option="--to") == ""
    with pytest.raises(UsageError, match="'soon' is no version"):
        version_of("soon", option="--to")
