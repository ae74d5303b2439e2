"""What is known of a host's key: pinned, in known_hosts, or in neither, and what cannot be read."""

import asyncssh
import pytest

from transom.errors import UsageError
from transom.remote.ssh_trust import remember, trusted_keys
from transom.remote.target import Target

HOST = "10.0.0.21"
KEY = asyncssh.generate_private_key("ssh-ed25519")
LINE = KEY.export_public_key().decode().strip()


def known(path):
    return trusted_keys(Target(host=HOST), path)


def test_a_file_that_is_not_there_knows_nobody(tmp_path):
    assert known(tmp_path / "known_hosts") == ([], [], [])


def test_a_key_that_was_confirmed_is_known_from_then_on_and_to_its_owner_alone(tmp_path):
    file = tmp_path / "new" / "known_hosts"
    remember(file, HOST, KEY)
    assert [key.export_public_key() for key in known(file).keys] == [KEY.export_public_key()]
    assert file.parent.stat().st_mode & 0o077 == 0


def test_a_line_that_is_none_is_told_with_the_file(tmp_path):
    file = tmp_path / "known_hosts"
    file.write_text(f"{HOST} ssh-ed25519 not-base64!\n@odd\n")
    with pytest.raises(UsageError, match="cannot read") as raised:
        known(file)
    assert raised.value.subject == str(file)


def test_a_file_that_cannot_be_read_or_written_is_told_with_its_name(tmp_path, monkeypatch):
    file = tmp_path / "known_hosts"
    file.write_text("")

    def refuse(*_args, **_kwargs):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(asyncssh, "read_known_hosts", refuse)
    with pytest.raises(UsageError, match="cannot read"):
        known(file)
    with pytest.raises(UsageError, match="cannot write the host's key"):
        remember(tmp_path, HOST, KEY)  # a folder is no file


@pytest.mark.parametrize("pin", ["ssh-ed25519 AAAA", "ssh-ed25519", "a word"])
def test_a_pin_that_is_no_key_is_a_mistake(tmp_path, pin):
    with pytest.raises(UsageError, match="no public key in OpenSSH's form"):
        trusted_keys(Target(host=HOST, host_keys=(pin,)), tmp_path / "known_hosts")


def test_a_pin_decides_alone(tmp_path):
    file = tmp_path / "known_hosts"
    remember(file, HOST, asyncssh.generate_private_key("ssh-ed25519"))
    pinned = trusted_keys(Target(host=HOST, host_keys=(LINE,)), file).keys
    assert [key.export_public_key() for key in pinned] == [KEY.export_public_key()]
    assert trusted_keys(Target(host=HOST, host_keys=("SHA256:" + "A" * 43,)), file) == ([], [], [])
