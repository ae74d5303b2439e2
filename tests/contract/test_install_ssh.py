"""`transom access install-ssh` and `remove-ssh`, as a person runs them, against the WinRM server on this machine."""

import base64

import pytest
import tree_sitter_powershell
from tests.simulation import Machine, fleet_text
from tests.winrm_server import HOST_KEY, WinRmServer
from tree_sitter import Language, Parser

from transom.cli.main import main
from transom.fleet.on_host import ssh_server
from transom.site import hosts
from transom.spec.fleet import read_fleets
from transom.spec.v1alpha1.rewriting import rewritten

pytest.importorskip("pypsrp")

KEYS = r"C:\ProgramData\ssh\administrators_authorized_keys"
INSTALL = ["access", "install-ssh", "win-01", "--yes"]
REMOVE = ["access", "remove-ssh", "win-01", "--yes"]
_BLOB = base64.b64encode(b"\0\0\0\x0bssh-ed25519\0\0\0\x20" + b"k" * 32).decode()
KEY = f"ssh-ed25519 {_BLOB} me@laptop"


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A host behind WinRM, a fleet that says so, and a person with a key."""
    home = tmp_path / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".ssh" / "id_ed25519.pub").write_text(KEY + "\n")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("USERPROFILE", str(home))
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "ca.pem"))
    monkeypatch.setenv("NTLM_USER_FILE", str(tmp_path / "users"))
    monkeypatch.setenv("WINDOWS_PASSWORD", "correct horse")
    monkeypatch.chdir(tmp_path)
    with WinRmServer(Machine(), tmp_path).open() as opened:
        way = f"{{host: localhost, port: {opened.port}, credential: {{env: WINDOWS_PASSWORD}}}}"
        text = fleet_text(1).replace("pool: web}", f"pool: web, connection: {{winrm: {way}}}}}")
        (tmp_path / "fleet.yaml").write_text(text)
        yield opened


def keys(server):
    return server.machine.host.files.read(KEYS).decode()


def test_it_is_installed_started_opened_and_the_host_key_can_be_pinned(server, capsys):
    assert main(INSTALL) == 0
    said = capsys.readouterr()
    assert server.ssh.service == {"start": "Automatic", "running": True}
    assert server.ssh.rules["transom-ssh"] == "True Any Allow"
    assert keys(server) == KEY + "\r\n"
    assert server.ssh.access[KEYS] == "D:P(A;;FA;;;SY)(A;;FA;;;BA)"
    assert server.ssh.dism == [
        "/online /add-capability /capabilityname:OpenSSH.Server~~~~0.0.1.0 /quiet /norestart"
    ]
    assert "let the key me@laptop in as an administrator" in said.err
    lines = "\n".join(f"    {line}" for line in said.out.splitlines())
    new = rewritten(fleet_text(1).encode(), name="fleet.yaml").text
    pasted = new.replace("    poolName: web\n", f"    poolName: web\n{lines}\n")
    (fleet,) = read_fleets(pasted.encode(), name="fleet.yaml")
    way = fleet.hosts[0].connection
    assert way is not None
    assert (way.transport, way.host, way.user, way.host_keys) == (
        "ssh",
        "localhost",
        "Administrator",
        (HOST_KEY,),
    )


def test_a_second_time_nothing_is_done_and_the_host_key_is_said_again(server, capsys):
    main(INSTALL)
    first, before = capsys.readouterr().out, server.ssh.snapshot()
    assert main(INSTALL[:-1]) == 0  # nothing to confirm
    assert server.ssh.snapshot() == before
    said = capsys.readouterr()
    assert said.out == first
    assert "nothing was to be done" in said.err


def test_on_a_host_that_has_it_turned_off_it_is_only_turned_on_and_off_again(server):
    server.ssh.service = {"start": "Disabled", "running": False}
    before = server.ssh.service
    assert main(INSTALL) == 0
    assert server.ssh.dism == []
    assert server.ssh.service == {"start": "Automatic", "running": True}
    assert main(REMOVE) == 0
    assert server.ssh.service == before
    assert server.ssh.dism == []


def test_keys_of_others_are_kept_and_only_ours_is_taken_back(server):
    other = f"ssh-ed25519 {_BLOB[:-8]}AAAAAAA= you@desk"
    server.ssh.service = {"start": "Automatic", "running": True}
    server.ssh.rules["OpenSSH-Server-In-TCP"] = "True Any Allow"
    for folder in (r"C:\ProgramData", r"C:\ProgramData\ssh"):
        server.machine.host.files.make_directory(folder)
    server.machine.host.files.write(KEYS, f"{other}\r\n".encode())
    server.machine.host.files.write(
        r"C:\ProgramData\ssh\ssh_host_ed25519_key.pub", HOST_KEY.encode()
    )
    assert main(INSTALL) == 0
    assert keys(server) == f"{other}\r\n{KEY}\r\n"
    assert "transom-ssh" not in server.ssh.rules
    assert main(REMOVE) == 0
    assert keys(server) == f"{other}\r\n"


@pytest.mark.parametrize("is_done", [False, True])
def test_after_a_failure_at_any_act_a_second_run_completes_and_removal_takes_all_back(
    server, capsys, monkeypatch, is_done
):
    async def connect():
        return server.directly()

    monkeypatch.setattr(hosts, "connect_to", lambda *_: connect)
    first, number, codes = server.ssh.snapshot(), 0, {0}
    while True:
        server.ssh.failing = (number, is_done)
        code = main(INSTALL)
        codes.add(code)
        was_reached = server.ssh.failing[0] < 0
        server.ssh.failing = (-1, False)
        if code != 0:
            assert main(INSTALL) == 0, number
        assert keys(server) == KEY + "\r\n"
        assert server.ssh.service == {"start": "Automatic", "running": True}
        server.ssh.failing = (number, is_done)
        removed = main(REMOVE)
        server.ssh.failing = (-1, False)
        if removed != 0:
            assert main(REMOVE) == 0, number
        assert server.ssh.snapshot()[1:] == first[1:]
        assert not server.machine.host.files.entries(r"C:\ProgramData")
        number += 1
        if not was_reached:
            break
    assert number > 10
    assert codes == {0, 5}
    assert "Traceback" not in capsys.readouterr().err


def test_a_file_of_keys_that_others_may_write_is_refused_before_anything_changes(server, capsys):
    server.ssh.service = {"start": "Automatic", "running": True}
    for folder in (r"C:\ProgramData", r"C:\ProgramData\ssh"):
        server.machine.host.files.make_directory(folder)
    server.machine.host.files.write(KEYS, b"ssh-ed25519 AAAA somebody\r\n")
    server.ssh.access[KEYS] = "D:AI(A;ID;FA;;;SY)(A;ID;FA;;;BA)(A;ID;0x1301bf;;;BU)"
    before = server.ssh.snapshot()
    assert main(INSTALL) == 5
    assert "can be written by BU" in capsys.readouterr().err
    assert server.ssh.snapshot() == before


def test_what_dism_says_is_told_with_the_way_out(server, capsys):
    server.ssh.dism_code = 0x800F0954 - (1 << 32)
    assert main([*INSTALL, "--source", r"\\files\Windows features"]) == 5
    said = capsys.readouterr().err
    assert "ended with 0x800f0954 on win-01" in said
    assert "--source" in said
    assert r'"/source:\\files\Windows features" /limitaccess' in server.ssh.dism[0]
    server.ssh.dism_code = 3010
    assert main(INSTALL) == 4
    assert "must be rebooted" in capsys.readouterr().err


def test_neither_key_nor_password_is_in_a_command_line(server):
    main(INSTALL)
    words = {word for words in server.seen for word in words}
    assert not any(_BLOB in word or "correct horse" in word for word in words)


@pytest.mark.usefixtures("server")
def test_what_cannot_be_meant_is_told_before_any_host_is_reached(tmp_path, capsys):
    (tmp_path / "id").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\nx\n")
    assert main([*INSTALL, "--key", "id"]) == 2
    assert "is no public key" in capsys.readouterr().err
    assert main([*INSTALL, "--source", "here"]) == 2
    assert main([*INSTALL[:-1]]) == 2
    assert "add --yes" in capsys.readouterr().err
    (tmp_path / "home" / ".ssh" / "id_ed25519.pub").unlink()
    assert main(INSTALL) == 2
    assert "--key" in capsys.readouterr().err
    (tmp_path / "fleet.yaml").write_text(fleet_text(1))
    assert main(REMOVE) == 2
    assert "type: WinRM" in capsys.readouterr().err


def test_where_nothing_was_installed_there_is_nothing_to_remove(server, capsys):
    server.ssh.service = {"start": "Automatic", "running": True}
    assert main(REMOVE) == 0
    assert "has nothing of install-ssh" in capsys.readouterr().err
    assert server.ssh.service == {"start": "Automatic", "running": True}


def test_the_script_parses_and_fits_into_a_command_line_of_cmd():
    parser = Parser(Language(tree_sitter_powershell.language()))
    assert not parser.parse(ssh_server.SCRIPT.encode()).root_node.has_error
    assert len(" ".join(ssh_server.COMMAND)) < 8000
