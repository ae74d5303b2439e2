"""An SSH server on this machine, with files below a folder of its own."""

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path

import asyncssh

from transom.remote.ssh import connect
from transom.remote.target import Target

USER, PASSWORD = "Administrator", "correct horse"


@dataclass
class Person:
    """Somebody with prepared answers, who remembers what was asked."""

    trust: bool = False
    secret: str | None = None
    asked: list[str] = field(default_factory=list)

    def trusts(self, host, algorithm, fingerprint):
        self.asked.append(f"{host} {algorithm} {fingerprint}")
        return self.trust

    def password(self, host, user):
        self.asked.append(f"password of {user} on {host}")
        return self.secret


class _Gate(asyncssh.SSHServer):
    def begin_auth(self, username):
        del username
        return True

    def connection_requested(self, *_):
        return True  # it may be a jump host

    def password_auth_supported(self):
        return True

    def validate_password(self, username, password):
        return username == USER and password == PASSWORD


class Server:
    """One server; commands are words it knows, files lie below `root`."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "files"
        (self.root / "C:").mkdir(parents=True)
        self.host_key = asyncssh.generate_private_key("ssh-ed25519")
        self.client_key = asyncssh.generate_private_key("ssh-ed25519")
        self.key_file = folder / "id"
        self.key_file.write_bytes(self.client_key.export_private_key())
        self.known_hosts = folder / "known_hosts"
        self.connections = 0
        self.certificate: asyncssh.SSHCertificate | None = None

    async def __aenter__(self):
        authorized = asyncssh.import_authorized_keys(self.client_key.export_public_key().decode())

        def gate():
            self.connections += 1
            return _Gate()

        self._listener = await asyncssh.listen(
            "127.0.0.1",
            0,
            server_factory=gate,
            server_host_keys=[self.host_key],
            server_host_certs=[self.certificate] if self.certificate else [],
            authorized_client_keys=authorized,
            process_factory=_serve,
            sftp_factory=lambda channel: asyncssh.SFTPServer(channel, chroot=bytes(self.root)),
            encoding=None,
        )
        return self

    async def __aexit__(self, *_):
        self._listener.close()
        await self._listener.wait_closed()

    @property
    def target(self) -> Target:
        return Target(
            host="127.0.0.1",
            port=self._listener.get_port(),
            user=USER,
            key_files=(str(self.key_file),),
            host_keys=(self.host_key.export_public_key().decode(),),
        )

    async def connect(self, person=None, **changes):
        target = replace(self.target, **changes)
        return await connect(
            target,
            person or Person(),
            known_hosts=self.known_hosts,
            config=self.known_hosts.with_name("config"),
        )


async def _serve(process):
    word = process.command.split()[0]
    if word == "echo":
        process.stdout.write(await process.stdin.read())
        process.stderr.write(b"said aside")
        process.exit(3)
    elif word == "hang":
        await asyncio.sleep(60)
    elif word == "vanish":
        process.channel.get_connection().abort()
