"""The SSH server of a host answers as OpenSSH on Windows does, as far as a client can see."""

import asyncio

import asyncssh
import pytest
from asyncssh.channel import SSHClientChannel
from asyncssh.packet import SSHPacket


def test_a_command_runs_through_cmd_as_written(cluster):
    """Quotes, variables and operators reach cmd untouched."""
    answer = cluster.ssh("win1", 'echo "a b" & echo %USERNAME%@%COMPUTERNAME%')
    assert answer.code == 0
    assert [line.strip() for line in answer.stdout.splitlines()] == ['"a b"', "Administrator@WIN1"]


@pytest.mark.parametrize("code", [0, 1, 255, 1060, 0xC000013A])
def test_exit_codes_are_whole(cluster, monkeypatch, code):
    """Windows exit codes have 32 bits: 1060 is "no such service", not 36."""
    received = []

    def keep(channel: "SSHClientChannel[str]", packet: SSHPacket) -> bool:
        received.append(packet.get_uint32())
        channel._exit_status = received[-1]
        return True

    # The client of asyncssh keeps the low byte of what was sent, which would hide the rest.
    monkeypatch.setattr(SSHClientChannel, "_process_exit_status_request", keep)
    cluster.ssh("win1", f"exit {code if code < 2**31 else code - 2**32}")
    assert received == [code]


def test_standard_input_and_both_outputs_are_separate(cluster):
    async def run(connection: asyncssh.SSHClientConnection) -> tuple[str, str]:
        program = "import sys; sys.stderr.write('err'); sys.stdout.write(sys.stdin.read().upper())"
        done = await connection.run(rf'C:\Python\python.exe -c "{program}"', input="in", timeout=60)
        return str(done.stdout), str(done.stderr)

    assert cluster.over_ssh("win1", run) == ("IN", "err")


def test_a_client_may_close_one_running_command_and_keep_the_connection(cluster):
    async def run(connection: asyncssh.SSHClientConnection) -> str:
        program = "import time; print('begun', flush=True); time.sleep(600)"
        running = await connection.create_process(rf'C:\Python\python.exe -c "{program}"')
        await running.stdout.readline()
        running.close()
        await running.wait_closed()
        return str((await connection.run("echo still here", timeout=60)).stdout).strip()

    assert cluster.over_ssh("win1", run) == "still here"


def test_the_password_opens_and_a_wrong_one_does_not(cluster):
    host = cluster.lab.host("win1")
    password = host.password_file.read_text()

    async def attempt(secret: str) -> str:
        connection = await cluster.connect(host, client_keys=[], password=secret)
        async with connection:
            return str((await connection.run("echo in", timeout=60)).stdout).strip()

    assert asyncio.run(attempt(password)) == "in"
    with pytest.raises(asyncssh.PermissionDenied):
        asyncio.run(attempt("wrong"))


def test_sftp_takes_every_windows_path_form(cluster):
    """The forms clients send for one file: with either slash, with a leading one, in any case."""

    async def run(connection: asyncssh.SSHClientConnection) -> list[str]:
        async with connection.start_sftp_client() as sftp:
            await sftp.makedirs("/C:/k/sftp", exist_ok=True)
            async with sftp.open("C:\\k\\sftp\\One.txt", "w") as file:
                await file.write("1")
            forms = ["/C:/k/sftp/One.txt", "C:/K/SFTP/one.TXT", "/c:/k/sftp/ONE.txt"]
            found = []
            for form in forms:
                async with sftp.open(form, "r") as file:
                    found.append(await file.read())
            return found

    assert cluster.over_ssh("win1", run) == ["1"] * 3
    answer = cluster.ssh("win1", r"type C:\k\sftp\one.txt")
    assert answer.stdout == "1"


def test_sftp_has_no_other_drive_and_no_way_out(cluster):
    async def run(connection: asyncssh.SSHClientConnection) -> str:
        async with connection.start_sftp_client() as sftp:
            with pytest.raises(asyncssh.SFTPNoSuchFile):
                await sftp.stat("Z:/etc/passwd")
            return str(await sftp.realpath("C:/../../../etc/passwd"))

    assert cluster.over_ssh("win1", run) == "/C:/etc/passwd"
