"""A simulated host behind a session, with the real node program on it, and a cluster in memory."""

import asyncio
import base64
import gzip
import hashlib
import io
import json
import tarfile
import zipfile
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
import trustme
from tests.unit.node.conftest import KUBERNETES, kubeadm_for

from transom.errors import TemporaryError
from transom.fleet.join import Doors
from transom.fleet.program import Brought
from transom.fleet.single import Wish
from transom.kube.api import Node
from transom.kube.memory import MemoryApi
from transom.model.fleet import Source
from transom.model.lock import Lock, LockEntry, SumFrom
from transom.model.recipe import Unpack
from transom.node.host.simulated import SimulatedHost
from transom.node.host.simulated_nouns import SimulatedBackground
from transom.node.host.values import Adapter, PathKind
from transom.node.program import main
from transom.recipe.pinnable import artifacts_of
from transom.remote.session import Completed

AUTHORITY = trustme.CA().cert_pem.bytes()
NET_CONF = {"Network": "10.244.0.0/16", "Backend": {"Type": "vxlan", "VNI": 4096, "Port": 4789}}


def config_maps(net_conf=NET_CONF):
    """What kubeadm and Flannel keep in a cluster."""
    server = {
        "server": "https://10.0.0.1:6443",
        "certificate-authority-data": base64.b64encode(AUTHORITY).decode(),
    }
    networking = {"podSubnet": "10.244.0.0/16", "serviceSubnet": "10.96.0.0/12"}
    documents: dict[tuple[str, str], dict[str, Any]] = {
        ("kube-public", "cluster-info"): {"kubeconfig": {"clusters": [{"cluster": server}]}},
        ("kube-system", "kubeadm-config"): {"ClusterConfiguration": {"networking": networking}},
        ("kube-system", "kubelet-config"): {"kubelet": {"clusterDNS": ["10.96.0.10"]}},
        ("kube-flannel", "kube-flannel-cfg"): {"net-conf.json": net_conf},
    }
    return {
        place: {key: json.dumps(value) for key, value in data.items()}
        for place, data in documents.items()
    }


@dataclass
class World:
    """One host, one cluster, and what was noticed."""

    host: SimulatedHost = field(default_factory=SimulatedHost)
    sessions: int = 0
    commands: list[tuple[str, ...]] = field(default_factory=list)
    stages: list[str] = field(default_factory=list)
    steps: list[tuple[str, str]] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    cut_after: str = ""
    reboots: int = 0
    problem: str = ""
    time_s: float = 0.0

    def __post_init__(self):
        self.host.files.make_directory(r"C:\Windows")
        self.host.features.disable("Containers")
        self.host.network.up = (Adapter(name="e", addresses=("10.0.0.21",), dhcp=True),)
        self.host.programs["kubeadm.exe"] = self._kubeadm
        self.host.background = _Background(self)
        self.host.flush()
        self.api = _Cluster(server_version="1.37.1", config_maps=config_maps(), world=self)

    def _kubeadm(self, host, argv):
        if argv[1] == "join":
            document = json.loads(host.disk.read(argv[argv.index("--config") + 1]))
            token = document["discovery"]["bootstrapToken"]["token"]
            self.tokens.append(token)
            assert ("kube-system", f"bootstrap-token-{token.partition('.')[0]}") in self.api.secrets
        return kubeadm_for("flannel.4096")(host, argv)

    @property
    def doors(self):
        return Doors(
            api=self.api,
            connect=self.connect,
            clock=self,
            now=lambda: datetime(2026, 1, 2, 3, 4, tzinfo=UTC),
        )

    @property
    def wish(self):
        return Wish(address="10.0.0.21", source=Source())

    async def connect(self):
        self.sessions += 1
        return Session(self)

    def monotonic(self):
        return self.time_s

    async def sleep(self, seconds):
        self.time_s += seconds

    def stage(self, text):
        self.stages.append(text)

    def event(self, event):
        self.steps.append((event.step, event.state.value))

    def pin(self, fleet):
        """Put every artifact where the host finds it, and name its sum."""
        entries = []
        for item in artifacts_of([fleet]):
            artifact = item.artifact
            content = _content(artifact)
            self.host.source.content[artifact.url] = content
            entries.append(
                LockEntry(
                    id=artifact.id,
                    version=artifact.version,
                    url=artifact.url,
                    sha256=hashlib.sha256(content).hexdigest(),
                    size=len(content),
                    sum_from=SumFrom.FIRST_USE,
                )
            )
        return Lock(tuple(entries))


class _Background(SimulatedBackground):
    """Work that is done at once."""

    def __init__(self, world):
        super().__init__()
        self._world = world

    def start(self, argv, payload):
        super().start(argv, payload)
        main([*argv[2:]], machine=self._world.host, stdin=io.StringIO(), stdout=io.StringIO())


@dataclass
class _Cluster(MemoryApi):
    """Nodes are there once their kubelet has its own credential."""

    world: Any = None

    async def node(self, name):
        world = self.world
        joined = world.host.files.kind(KUBERNETES + r"\kubelet.conf") is PathKind.FILE
        if joined and name not in self.held_nodes:
            self.held_nodes[name] = Node(
                name=name, ready=not world.problem, problem=world.problem, kubelet="1.37.1"
            )
        return self.held_nodes.get(name)


@dataclass
class Session:
    """A session whose other end is the simulated host."""

    world: World

    async def run(self, command, *, stdin=b"", timeout_s, on_line=None):
        assert timeout_s > 0
        world, command = self.world, tuple(command)
        world.commands.append(command)
        if command[0] == "shutdown":
            world.reboots += 1
            world.host.features.reboot()
            return Completed(0, b"", b"")
        if not command[0].endswith("python.exe"):
            return Completed(0, b"", b"")
        out = io.StringIO()
        code = main(command[2:], machine=world.host, stdin=io.StringIO(stdin.decode()), stdout=out)
        said = b""
        for line in out.getvalue().encode().splitlines(keepends=True):
            said += line
            if on_line is not None:
                on_line(line)
                await asyncio.sleep(0)  # where a person may interrupt
            if world.cut_after and on_line is not None and world.cut_after.encode() in line:
                world.cut_after = ""
                raise TemporaryError("the session was cut")
        return Completed(code, said, b"")

    async def read(self, path):
        files = self.world.host.files
        return files.read(path) if files.kind(path) is PathKind.FILE else None

    async def put(self, path, content):
        if await self.read(path) == content:
            return False
        self.world.host.files.write(path, content)
        return True

    async def make_directory(self, path):
        made = self.world.host.files.kind(path) is PathKind.ABSENT
        self.world.host.files.make_directory(path)
        return made

    async def names(self, path):
        files = self.world.host.files
        return files.entries(path) if files.kind(path) is PathKind.DIRECTORY else ()

    async def remove_tree(self, path):
        self.world.host.files.remove_tree(path)

    async def wait_cut(self, *, timeout_s):
        assert timeout_s > 0

    async def close(self):
        pass


@pytest.fixture
def world():
    return World()


@pytest.fixture
def brought():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("python.exe", b"MZ")
    return Brought(buffer.getvalue(), b"the program")


def _content(artifact):
    if artifact.unpack is Unpack.FILE:
        return artifact.id.encode()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for member in artifact.members:
            entry = tarfile.TarInfo(member.name)
            entry.size = len(member.name)
            archive.addfile(entry, io.BytesIO(member.name.encode()))
    return gzip.compress(buffer.getvalue(), mtime=0)
