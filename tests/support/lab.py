"""The lab of a test session, and what is asked of it."""

import asyncio
import json
import os
import shlex
import subprocess
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import asyncssh

from transom_lab.binaries import Binaries
from transom_lab.controlplane import ca_certificate_hash
from transom_lab.host import WindowsHost
from transom_lab.lab import Lab
from transom_lab.network import CONTROL_PLANE
from transom_lab.places import cache_directory
from transom_lab.programs import Goos, program
from transom_lab.progress import Progress
from transom_lab.sshd import USER

_ENDPOINT = f"{CONTROL_PLANE}:6443"

_Result = TypeVar("_Result")

PIPE = "npipe:////./pipe/containerd-containerd"


@dataclass(frozen=True)
class Answer:
    """What a command on a host answered."""

    code: int
    stdout: str
    stderr: str

    @property
    def text(self) -> str:
        """Both streams, for looking for a message."""
        return self.stdout + self.stderr


class Cluster:
    """What the tests do to the lab, in their words."""

    def __init__(self, lab: Lab) -> None:
        self.lab = lab

    def kubectl(
        self,
        *arguments: str,
        stdin: str = "",
        check: bool = True,
        kubeconfigs: Sequence[Path] = (),
    ) -> str:
        """Run kubectl as the administrator, or whom other kubeconfigs name, from outside the lab."""
        files = os.pathsep.join(str(file) for file in kubeconfigs or (self.lab.kubeconfig,))
        done = subprocess.run(
            [str(self.lab.program("kubectl")), *arguments],
            env={**os.environ, "KUBECONFIG": files},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        if check:
            assert done.returncode == 0, f"kubectl {shlex.join(arguments)}: {done.stderr}"
        return done.stdout

    def get(self, *arguments: str) -> dict[str, Any]:
        """One object or list, as JSON."""
        document: dict[str, Any] = json.loads(self.kubectl("get", *arguments, "-o", "json"))
        return document

    def is_ready(self, name: str) -> bool:
        """Whether the Node exists and is Ready."""
        nodes = self.get("nodes", "--field-selector", f"metadata.name={name}")["items"]
        conditions = [c for node in nodes for c in node["status"].get("conditions", [])]
        return any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)

    def await_ready(self, name: str, *, timeout_s: float = 60) -> None:
        """Wait until the Node is Ready."""
        self.lab.await_node(name, timeout_s=timeout_s)

    def ssh(self, name: str, command: str, *, timeout_s: float = 120) -> Answer:
        """Run one command through the host's SSH server."""

        async def once(connection: asyncssh.SSHClientConnection) -> Answer:
            done = await connection.run(command, timeout=timeout_s)
            return Answer(done.exit_status or 0, str(done.stdout), str(done.stderr))

        return self.over_ssh(name, once)

    def over_ssh(
        self, name: str, do: Callable[[asyncssh.SSHClientConnection], Awaitable[_Result]]
    ) -> _Result:
        """Do something with a connection to the host."""

        async def connected() -> _Result:
            connection = await self.connect(self.lab.host(name))
            try:
                return await do(connection)
            finally:
                connection.close()
                await connection.wait_closed()

        return asyncio.run(connected())

    async def connect(self, host: WindowsHost, **options: Any) -> asyncssh.SSHClientConnection:
        """Connect by key, with the host's key pinned."""
        public = asyncssh.read_public_key(host.host_key.with_suffix(".pub"))
        chosen: dict[str, Any] = {"client_keys": [str(self.lab.key)], **options}
        return await asyncssh.connect(
            "127.0.0.1",
            host.plan.local_port,
            username=USER,
            known_hosts=([public], [], []),
            config=None,
            **chosen,
        )

    def ca_hash(self) -> str:
        """The pin of the cluster's certificate authority."""
        return ca_certificate_hash(self.lab.control_plane.ca_certificate.read_text())

    def token(self, *, ttl: str = "2h0m0s") -> str:
        """A fresh bootstrap token."""
        return self.lab.control_plane.create_token(self.lab.program("kubeadm"), ttl=ttl)

    def is_signed(self, token: str) -> bool:
        """Whether the cluster's public information is signed for a token: until then it is refused."""
        found = self.get("configmap", "cluster-info", "-n", "kube-public")
        return f"jws-kubeconfig-{token.partition('.')[0]}" in found["data"]

    def _signed_token(self) -> str:
        token = self.token()
        await_true(lambda: self.is_signed(token), "the token has its signature")
        return token

    def join(self, name: str, *, token: str = "", ca_hash: str = "") -> Answer:
        """Join by kubeadm.exe through SSH, patient for three seconds of discovery only."""
        document = {
            "apiVersion": "kubeadm.k8s.io/v1beta4",
            "kind": "JoinConfiguration",
            "discovery": {
                "bootstrapToken": {
                    "apiServerEndpoint": _ENDPOINT,
                    "token": token or self._signed_token(),
                    "caCertHashes": [ca_hash or self.ca_hash()],
                },
            },
            "nodeRegistration": {"name": name, "criSocket": PIPE},
            "timeouts": {"discovery": "3s"},
        }

        async def run(connection: asyncssh.SSHClientConnection) -> Answer:
            async with (
                connection.start_sftp_client() as sftp,
                sftp.open("/C:/k/join.yaml", "w") as file,
            ):
                await file.write(json.dumps(document))
            done = await connection.run(
                r"C:\k\kubeadm.exe join --config C:\k\join.yaml", timeout=90
            )
            return Answer(done.exit_status or 0, str(done.stdout), str(done.stderr))

        return self.over_ssh(name, run)

    def reset(self, name: str) -> Answer:
        """kubeadm.exe reset on the host, and its Node removed."""
        answer = self.ssh(name, rf"C:\k\kubeadm.exe reset --force --cri-socket {PIPE}")
        self.kubectl("delete", "node", name, "--ignore-not-found")
        return answer

    def joined(self, name: str) -> None:
        """Make sure the host is a Ready node."""
        if not self.is_ready(name):
            answer = self.join(name)
            assert answer.code == 0, answer.text
            self.await_ready(name)

    def windows_program(self, name: str) -> Path:
        """An upstream Windows program, from the cache or built."""
        wanted = program(name, Goos.WINDOWS)
        return Binaries(cache=cache_directory(), progress=Progress()).fetch([wanted])[wanted]


class BareLab(Protocol):
    """`with bare_lab(purpose) as lab`: hosts without Kubernetes' programs and services."""

    def __call__(
        self, purpose: str, *, hosts: int = 1, feature: bool = True
    ) -> AbstractContextManager[Lab]:
        """Without `feature` the first run on each host ends with the reboot that Windows asks for."""


def await_true(claim: Callable[[], bool], what: str, *, timeout_s: float = 30) -> None:
    """Wait for a claim under a deadline."""
    deadline = time.monotonic() + timeout_s
    while not claim():
        assert time.monotonic() < deadline, f"not so after {timeout_s} s: {what}"
        time.sleep(0.2)
