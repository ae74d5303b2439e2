"""Every way of `connection.ssh`, from a fleet's document to a real SSH server on this machine."""

import asyncio
import shlex
import subprocess
import sys

import asyncssh
import pytest
from tests.simulation import fleet_text
from tests.support.cluster import MemoryApi
from tests.support.contract_ssh import PASSWORD, USER, Server

from transom.cli.environment import environment
from transom.cli.main import main
from transom.cli.options import host_access
from transom.errors import PermanentError, UsageError
from transom.kube.api import Secret
from transom.model.fleet import FromPrompt
from transom.remote.ssh_config import resolved
from transom.remote.target import Target
from transom.site import access
from transom.spec.fleet import read_fleets


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A person's home, with an empty ~/.ssh and no agent."""
    folder = tmp_path / "home" / ".ssh"
    folder.mkdir(parents=True)
    monkeypatch.setenv("HOME", str(folder.parent))
    monkeypatch.setenv("USERPROFILE", str(folder.parent))
    monkeypatch.delenv("SSH_AUTH_SOCK", raising=False)
    return folder


@pytest.fixture
def server(tmp_path):
    (tmp_path / "server").mkdir()
    return Server(tmp_path / "server")


def document(ssh):
    """A fleet of one host with that connection, in YAML's flow form."""
    way = ", ".join(f"{key}: {value}" for key, value in ssh.items())
    return fleet_text(1).replace("pool: web}", f"pool: web, connection: {{ssh: {{{way}}}}}}}")


def echo(server, secrets=None, before=None, **ssh):
    """Connect as the fleet says, run a command, and give what it said."""

    async def story():
        async with server:
            if before is not None:
                await before.__aenter__()
            given = {
                key: value(server, before) if callable(value) else value
                for key, value in ssh.items()
            }
            (fleet,) = read_fleets(document(given).encode(), name="fleet.yaml")
            try:
                connect = host_access.connect_to(
                    fleet.hosts[0], secrets or host_access.secrets_of(None)
                )
                session = await connect()
                done = await session.run(("echo",), stdin=b"hello", timeout_s=10)
                await session.close()
            finally:
                if before is not None:
                    await before.__aexit__()
            return done.stdout

    return asyncio.run(story())


def here(server, before=None):
    del before
    return server.target.port


def pinned(server, before=None):
    del before
    return '"' + server.host_key.export_public_key().decode().strip() + '"'


WAY = {"host": "127.0.0.1", "port": here, "hostKey": pinned}


@pytest.mark.usefixtures("home")
def test_a_key_in_a_file_and_a_pinned_key(server):
    assert echo(server, **WAY, user=USER, credential=f"{{file: {server.key_file}}}") == b"hello"


@pytest.mark.usefixtures("home")
def test_a_fingerprint_pins_as_well(server):
    way = {**WAY, "hostKey": f'"{server.host_key.get_fingerprint()}"'}
    assert echo(server, **way, credential=f"{{file: {server.key_file}}}") == b"hello"
    with pytest.raises(PermanentError, match="not the one that was pinned"):
        echo(server, **{**way, "hostKey": f'"SHA256:{"A" * 43}"'})


@pytest.mark.usefixtures("home")
def test_a_password_from_the_environment_a_command_a_file_and_a_prompt(
    server, monkeypatch, tmp_path
):
    monkeypatch.setenv("WINDOWS_PASSWORD", PASSWORD)
    assert echo(server, **WAY, user=USER, credential="{env: WINDOWS_PASSWORD}") == b"hello"
    script = tmp_path / "vault.py"
    script.write_text(f"print({PASSWORD!r})")
    command = f'{{command: ["{sys.executable}", "{script}"]}}'
    assert echo(server, **WAY, user=USER, credential=command) == b"hello"
    (tmp_path / "password").write_text(PASSWORD + "\n")
    assert (
        echo(server, **WAY, user=USER, credential=f"{{file: {tmp_path / 'password'}}}") == b"hello"
    )
    secrets = host_access.secrets_of(None)
    secrets._kept[FromPrompt(), f"{USER} on the hosts"] = PASSWORD  # what a person typed
    assert echo(server, secrets, **WAY, user=USER, credential="{prompt: true}") == b"hello"


@pytest.mark.usefixtures("home")
def test_a_password_in_a_secret_of_the_cluster_and_what_is_said_where_it_is_not(server):
    data = {"password": PASSWORD + "\n"}
    secret = Secret(namespace="ops", name="windows", type="Opaque", data=data)
    api = MemoryApi(server_version="1.37.1", secrets={("ops", "windows"): secret})
    place = "{secretRef: {namespace: ops, name: windows, key: KEY}}"
    way = {**WAY, "user": USER, "credential": place.replace("KEY", "password")}
    assert echo(server, host_access.secrets_of(api), **way) == b"hello"
    with pytest.raises(UsageError, match="Secret ops/windows with the key other is not there"):
        echo(
            server,
            host_access.secrets_of(api),
            **{**way, "credential": place.replace("KEY", "other")},
        )
    with pytest.raises(UsageError, match="cannot be read without a kubeconfig"):
        echo(server, **way)


@pytest.mark.usefixtures("home")
def test_a_key_that_a_command_prints(server, tmp_path):
    script = tmp_path / "vault.py"
    script.write_text(f"print(open({str(server.key_file)!r}).read())")
    command = f'{{command: ["{sys.executable}", "{script}"]}}'
    assert echo(server, **WAY, credential=command) == b"hello"


@pytest.mark.usefixtures("home")
def test_a_wrong_password_is_told_and_is_not_in_the_message(server, monkeypatch):
    monkeypatch.setenv("WINDOWS_PASSWORD", "not it at all")
    with pytest.raises(PermanentError, match="neither by key nor by password") as caught:
        echo(server, **WAY, user=USER, credential="{env: WINDOWS_PASSWORD}")
    assert "not it at all" not in str(caught.value)


@pytest.mark.usefixtures("home")
def test_the_keys_of_the_agent(server, tmp_path, monkeypatch):
    agent = subprocess.run(
        ["ssh-agent", "-s", "-a", str(tmp_path / "agent")],
        capture_output=True,
        text=True,
        check=True,
    )
    pid = agent.stdout.partition("SSH_AGENT_PID=")[2].partition(";")[0]
    monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "agent"))
    try:
        server.key_file.chmod(0o600)
        subprocess.run(["ssh-add", "-q", str(server.key_file)], check=True)
        assert echo(server, **WAY, credential="{agent: true}") == b"hello"
    finally:
        subprocess.run(["kill", pid], check=True)


@pytest.mark.usefixtures("home")
def test_a_user_of_a_domain(server, monkeypatch):
    monkeypatch.setattr("tests.support.contract_ssh.USER", r"CORP\admin")
    monkeypatch.setenv("WINDOWS_PASSWORD", PASSWORD)
    way = {**WAY, "user": r"'CORP\admin'"}
    assert echo(server, **way, credential="{env: WINDOWS_PASSWORD}") == b"hello"


def test_an_alias_with_its_port_user_key_and_jump_host(server, home, tmp_path):
    (tmp_path / "bastion").mkdir()
    before = Server(tmp_path / "bastion")

    def alias(server, before):
        (home / "config").write_text(
            f"Host win\n  HostName 127.0.0.1\n  Port {server.target.port}\n  User {USER}\n"
            f"  IdentityFile {server.key_file}\n  ProxyJump bastion\n"
            f"Host bastion\n  HostName localhost\n  Port {before.target.port}\n  User somebody\n"
            f"  IdentityFile {before.key_file}\n"
        )
        known = f"[127.0.0.1]:{server.target.port} {server.host_key.export_public_key().decode()}"
        other = f"[localhost]:{before.target.port} {before.host_key.export_public_key().decode()}"
        (home / "known_hosts").write_text(known + other)
        return "win"

    assert echo(server, before=before, host=alias) == b"hello"
    assert (before.connections, server.connections) == (1, 1)


def test_a_jump_host_of_the_fleet_gets_the_key_but_never_the_password(
    server, home, tmp_path, monkeypatch
):
    (tmp_path / "bastion").mkdir()
    before = Server(tmp_path / "bastion")

    def jump(server, before):
        del server
        line = f"[localhost]:{before.target.port} {before.host_key.export_public_key().decode()}"
        (home / "known_hosts").write_text(line)
        return f'"{USER}@localhost:{before.target.port}"'

    monkeypatch.setenv("WINDOWS_PASSWORD", PASSWORD)
    with pytest.raises(PermanentError, match=r"\[localhost\]:\d+ lets Administrator in neither"):
        echo(
            server, before=before, **WAY, jump=jump, user=USER, credential="{env: WINDOWS_PASSWORD}"
        )
    before.client_key = server.client_key
    found = echo(server, before=before, **WAY, jump=jump, credential=f"{{file: {server.key_file}}}")
    assert found == b"hello"


def test_an_authority_in_known_hosts_vouches_for_a_host(server, home):
    authority = asyncssh.generate_private_key("ssh-ed25519")
    server.certificate = authority.generate_host_certificate(
        server.host_key, "win", principals=["127.0.0.1"]
    )
    public = authority.export_public_key().decode()

    def trusting(server, before):
        del server, before
        (home / "known_hosts").write_text(f"@cert-authority * {public}")
        return "127.0.0.1"

    way = {"host": trusting, "port": here, "credential": f"{{file: {server.key_file}}}"}
    assert echo(server, **way) == b"hello"
    other = asyncssh.generate_private_key("ssh-ed25519")
    server.certificate = other.generate_host_certificate(
        server.host_key, "win", principals=["127.0.0.1"]
    )
    with pytest.raises(PermanentError, match="is not known"):
        echo(server, **way)


def test_a_revoked_key_is_refused(server, home):
    def revoked(server, before):
        del before
        line = f"@revoked * {server.host_key.export_public_key().decode()}"
        (home / "known_hosts").write_text(line)
        return "127.0.0.1"

    with pytest.raises(PermanentError, match="is revoked in known_hosts"):
        echo(server, host=revoked, port=here)


def test_what_was_said_goes_before_the_config(home):
    config = home / "config"
    config.write_text("Host h\n  User other\n  Port 2222\n  ProxyJump x@a:23,b\n")
    found = resolved(Target(host="h", user="me", port=22), config)
    assert (found.user, found.port) == ("me", 22)
    assert [(hop.host, hop.port) for hop in found.hops] == [("a", 23), ("b", 22), ("h", 22)]
    assert resolved(Target(host="h"), config).user == "other"
    through = resolved(Target(host="h", jump=Target(host="c")), config)
    assert [hop.host for hop in through.hops] == ["c", "h"]


def test_a_jump_host_that_leads_back_to_itself_is_told(home):
    (home / "config").write_text("Host *\n  ProxyJump b\n")
    with pytest.raises(UsageError, match="more than 8 jump hosts"):
        resolved(Target(host="h"), home / "config")


def test_without_a_config_a_windows_host_has_an_administrator(home):
    assert resolved(Target(host="h"), home / "none") == Target(
        host="h", port=22, user="Administrator"
    )


class TestAccess:
    """`transom access`, as a person runs it."""

    @pytest.fixture
    def fleet(self, home, tmp_path, monkeypatch):
        del home
        monkeypatch.chdir(tmp_path)
        way = {
            "port": 2222,
            "user": r"'CORP\admin'",
            "jump": "me@bastion:22022",
            "hostKey": '"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIH"',
            "credential": "{file: ~/.ssh/id}",
        }
        (tmp_path / "fleet.yaml").write_text(document(way))

    @pytest.mark.usefixtures("fleet")
    def test_the_plain_command_says_everything(self, capsys):
        assert main(["access", "ssh", "win-01", "--print"]) == 0
        words = shlex.split(capsys.readouterr().out)
        assert words[:7] == ["ssh", "-J", "me@bastion:22022", "-i", "~/.ssh/id", "-p", "2222"]
        assert r"CORP\admin" in words
        assert (
            "KnownHostsCommand=/bin/echo [10.0.0.2]:2222 ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIH"
            in words
        )
        assert main(["access", "rdp", "win-01", "--print", "--port", "5999"]) == 0
        words = shlex.split(capsys.readouterr().out)
        assert words[1:4] == ["-N", "-L", "5999:10.0.0.2:3389"]
        assert words[-3:] == ["-l", "me", "bastion"]

    @pytest.mark.usefixtures("fleet")
    def test_a_host_that_is_not_there_is_named(self, capsys):
        assert main(["access", "rdp", "win-09"]) == 2
        assert "it has win-01" in capsys.readouterr().err

    def test_the_remote_desktop_is_on_a_port_of_this_machine(self, server, home, monkeypatch):
        """A listener in the place of the desktop answers through the forwarded port."""

        async def story():
            desktop = await asyncio.start_server(_greet, "127.0.0.1", 0)
            monkeypatch.setattr(access, "_DESKTOP", desktop.sockets[0].getsockname()[1])
            async with server:
                (home / "known_hosts").write_text(
                    f"[127.0.0.1]:{server.target.port} {server.host_key.export_public_key().decode()}"
                )
                way = {"port": server.target.port, "user": USER, "host": "127.0.0.1"}
                way["credential"] = f"{{file: {server.key_file}}}"
                (fleet,) = read_fleets(document(way).encode(), name="fleet.yaml")
                said = await asyncio.wait_for(_through_the_desktop(fleet.hosts[0]), 10)
            desktop.close()
            await desktop.wait_closed()
            return said

        assert asyncio.run(story()) == b"hello"


async def _through_the_desktop(host):
    """What answers on the port that was opened for the host's remote desktop."""
    opened = asyncio.get_running_loop().create_future()
    serving = asyncio.create_task(
        access.serve_desktop(
            host,
            host_access.secrets_of(None),
            environment(),
            host_access.Terminal(),
            port=0,
            is_open=opened.set_result,
        )
    )
    await asyncio.wait([opened, serving], return_when=asyncio.FIRST_COMPLETED)
    reader, writer = await asyncio.open_connection("127.0.0.1", opened.result())
    said = await reader.read(5)
    writer.close()
    await writer.wait_closed()
    serving.cancel()
    await asyncio.wait([serving])
    return said


async def _greet(_reader, writer):
    writer.write(b"hello")
    await writer.drain()
    writer.close()
    await writer.wait_closed()
