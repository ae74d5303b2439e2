"""The WinRM door against a server on this machine that pypsrp's own client talks to, over TLS and NTLM."""

import asyncio

import pytest
from tests.simulation import Machine, fleet_text, python_archive
from tests.winrm_server import WinRmServer

from transom.cli.options import host_access
from transom.errors import PermanentError, TemporaryError
from transom.fleet.on_host.program import Brought, NodeProgram, own_program
from transom.remote.winrm import WinRmTarget, connect
from transom.spec.fleet import read_fleets

pytest.importorskip("pypsrp")


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A host behind WinRM, whose authority this machine trusts."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "ca.pem"))
    monkeypatch.setenv("NTLM_USER_FILE", str(tmp_path / "users"))
    with WinRmServer(Machine(), tmp_path).open() as opened:
        yield opened


def target(server, **changes):
    values = {"host": "localhost", "user": server.user, "password": server.password}
    return WinRmTarget(**{**values, "port": server.port, **changes})


def test_files_are_put_once_read_back_listed_and_removed(server):
    content = bytes(range(256)) * 1024

    async def story():
        session = await connect(target(server))
        made = [await session.make_directory(r"C:\k") for _ in range(2)]
        put = [await session.put(r"C:\k\x.bin", content) for _ in range(2)]
        read = await session.read(r"C:\k\x.bin"), await session.read(r"C:\k\none")
        names = await session.names(r"C:\k")
        await session.remove_tree(r"C:\k")
        gone = await session.names(r"C:\k")
        await session.close()
        return made, put, read, names, gone

    made, put, read, names, gone = asyncio.run(story())
    assert (made, put) == ([True, False], [True, False])
    assert read == (content, None)
    assert (names, gone) == (("x.bin",), ())
    assert len(set(server.seen)) == 1  # one fixed script, whatever the file


def test_a_fleet_that_names_winrm_reaches_its_host_with_the_password_of_a_domain_user(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "ca.pem"))
    monkeypatch.setenv("NTLM_USER_FILE", str(tmp_path / "users"))
    monkeypatch.setenv("WINDOWS_PASSWORD", "correct horse")
    with WinRmServer(Machine(), tmp_path, domain="CORP", user="admin").open() as server:
        way = rf"{{host: localhost, port: {server.port}, user: 'CORP\admin', credential: {{env: WINDOWS_PASSWORD}}}}"
        text = fleet_text(1).replace("pool: web}", f"pool: web, connection: {{winrm: {way}}}}}")
        (fleet,) = read_fleets(text.encode(), name="fleet.yaml")

        async def story():
            session = await host_access.connect_to(fleet.hosts[0], host_access.secrets_of(None))()
            done = await session.run(("hostname",), timeout_s=10)
            await session.close()
            return done.code

        assert asyncio.run(story()) == 0


def test_the_node_program_is_brought_asked_and_taken_away(server):
    async def story():
        session = await connect(target(server))
        program = NodeProgram(session)
        await program.bring(Brought(python_archive(), own_program()))
        inventory = await program.inventory()
        done = await session.run(("hostname",), timeout_s=10)
        await program.remove()
        await session.close()
        return inventory, done.code

    inventory, code = asyncio.run(story())
    assert inventory.kind == "Inventory"
    assert code == 0
    assert not any("inventory" in word for words in server.seen for word in words)


def test_a_command_that_ends_without_a_code_did_not_succeed(server):
    server.tells_codes = False

    async def story():
        session = await connect(target(server))
        try:
            await session.run(("hostname",), timeout_s=10)
        finally:
            await session.close()

    with pytest.raises(
        TemporaryError, match=r"hostname on localhost:.* ended without an exit code"
    ):
        asyncio.run(story())


def test_a_wrong_password_is_told_and_not_shown(server):
    with pytest.raises(PermanentError, match="does not let Administrator in by WinRM") as caught:
        asyncio.run(connect(target(server, password="not it")))
    assert "not it" not in str(caught.value)


def test_a_certificate_that_nobody_vouches_for_is_refused(server, monkeypatch):
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    with pytest.raises(PermanentError, match="is not trusted"):
        asyncio.run(connect(target(server)))


def test_a_host_that_does_not_answer_is_temporary(server):
    with pytest.raises(TemporaryError, match="cannot reach it by WinRM"):
        asyncio.run(connect(target(server, port=9)))
