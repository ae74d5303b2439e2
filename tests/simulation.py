"""Simulated Windows hosts behind sessions, with the real node program on them, and a cluster in memory.

Used by tests of `fleet`, by the fan-out test and by the demonstration. Nothing here is the product.
"""

import asyncio
import base64
import gzip
import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import trustme
import yaml
from tests.support import windows_folders
from tests.support.cluster import MemoryApi
from tests.support.node import FLAGS_FILE, KUBELET, KUBERNETES, kubeadm_for, patched

from transom.errors import TemporaryError
from transom.fleet.doors import FleetDoors
from transom.fleet.on_host.program import Brought, own_program
from transom.kube.api import Node
from transom.model.fleet import Fleet, Host
from transom.model.lock import Lock, LockEntry, SumFrom
from transom.model.order import read_order
from transom.model.recipe import Artifact, Unpack
from transom.node.host.quoting import split_arguments
from transom.node.host.values import Adapter, NodeHealth, PathKind, ServiceDefinition
from transom.node.host.values import Completed as Ran
from transom.node.kubernetes.kubelet_flags import parse_flags_file
from transom.node.verbs.program import main
from transom.recipe.pinnable import artifacts_of
from transom.remote import powershell
from transom.remote.session import Completed, Parcel
from transom.spec.fleet import read_fleets
from transom.testing.simulated_host import SimulatedHost
from transom.testing.simulated_services import SimulatedBackground

AUTHORITY = trustme.CA().cert_pem.bytes()
NET_CONF = {"Network": "10.244.0.0/16", "Backend": {"Type": "vxlan", "VNI": 4096, "Port": 4789}}
NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
KUBELET_CONF = KUBERNETES + r"\kubelet.conf"
KUBELET_CONFIGURATION = KUBELET + r"\config.yaml"
CA_CERTIFICATE = KUBERNETES + r"\pki\ca.crt"


def config_maps(
    net_conf: Any = NET_CONF, kubelet: dict[str, Any] | None = None
) -> dict[tuple[str, str], Mapping[str, str]]:
    """What kubeadm and Flannel keep in a cluster."""
    server = {
        "server": "https://10.0.0.1:6443",
        "certificate-authority-data": base64.b64encode(AUTHORITY).decode(),
    }
    networking = {"podSubnet": "10.244.0.0/16", "serviceSubnet": "10.96.0.0/12"}
    documents: dict[tuple[str, str], dict[str, Any]] = {
        ("kube-public", "cluster-info"): {"kubeconfig": {"clusters": [{"cluster": server}]}},
        ("kube-system", "kubeadm-config"): {"ClusterConfiguration": {"networking": networking}},
        ("kube-system", "kubelet-config"): {
            "kubelet": {"clusterDNS": ["10.96.0.10"], **(kubelet or {})}
        },
        ("kube-flannel", "kube-flannel-cfg"): {"net-conf.json": net_conf},
    }
    return {
        place: {key: _as_kept(key, value) for key, value in data.items()}
        for place, data in documents.items()
        if data.get("net-conf.json", "") is not None
    }


def _as_kept(key: str, value: Any) -> str:
    return json.dumps(value) if key.endswith(".json") else yaml.safe_dump(value)


@dataclass
class Machine:
    """One Windows host and the way to it, with what was noticed on that way."""

    name: str = "win-01"
    address: str = "10.0.0.21"
    host: SimulatedHost = field(default_factory=SimulatedHost)
    sessions: int = 0
    open_sessions: int = 0
    commands: list[tuple[str, ...]] = field(default_factory=list)
    orders: list[str] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    cut_after: str = ""
    cut_at_put: str = ""
    lost_starts: int = 0
    reboots: int = 0
    problem: str = ""
    peer: str = ""
    odd: Callable[[str, bytes], bytes] | None = None  # how it answers, by verb and true line
    is_away: bool = False
    api: MemoryApi = field(default_factory=lambda: MemoryApi(server_version="1.37.1"))

    def __post_init__(self) -> None:
        self.host.system.name = self.name
        self.host.files.make_directory(r"C:\Windows")
        self.host.features.disable("Containers")
        self.host.network.up = (Adapter(name="e", addresses=(self.address,), dhcp=True),)
        for name in ("kubeadm.exe", "kubeadm-new.exe"):
            self.host.programs[name] = self._kubeadm
        self.host.cluster.healthy = lambda _node: self.health()
        self.host.background = Background(self)
        self.host.flush()

    def _kubeadm(self, host: SimulatedHost, argv: Any) -> Any:
        if argv[1] == "join":
            document = json.loads(host.disk.read(argv[argv.index("--config") + 1]))
            token = document["discovery"]["bootstrapToken"]["token"]
            self.tokens.append(token)
            assert ("kube-system", f"bootstrap-token-{token.partition('.')[0]}") in self.api.secrets
        if argv[1] == "upgrade":
            patches = argv[argv.index("--patches") + 1] if "--patches" in argv else ""
            host.files.write(KUBELET_CONFIGURATION, patched(host, patches))
            return Ran(code=0, output="upgraded")
        done = kubeadm_for("flannel.4096")(host, argv)
        if argv[1] == "join" and done.code == 0:
            host.files.write(CA_CERTIFICATE, AUTHORITY)
        return done

    @property
    def kubelet(self) -> str:
        """The version of the kubelet that is there."""
        found = self.host.files.read(r"C:\k\kubelet.exe").decode()
        return found.partition(" ")[2]

    @property
    def is_joined(self) -> bool:
        """Whether the kubelet has its own credential."""
        return self.host.files.kind(KUBELET_CONF) is PathKind.FILE

    def health(self) -> NodeHealth | None:
        """The Node as its kubelet reports it: by the program that lies on the host."""
        if not self.is_joined or self.host.files.kind(r"C:\k\kubelet.exe") is PathKind.ABSENT:
            return None
        version = self.host.files.read(r"C:\k\kubelet.exe").decode().split()[-1]
        ready = not self.problem and self.host.services.running("kubelet")
        return NodeHealth(ready=ready, kubelet=version, problem=self.problem)

    def registration(self) -> dict[str, Any]:
        """The labels and taints that the kubelet gives its Node, once, when it makes it."""
        files = self.host.files
        text = files.read(FLAGS_FILE).decode() if files.kind(FLAGS_FILE) is PathKind.FILE else ""
        given = dict(flag.lstrip("-").partition("=")[::2] for flag in parse_flags_file(text))
        labels = (item.partition("=") for item in given.get("node-labels", "").split(",") if item)
        taints = tuple(filter(None, given.get("register-with-taints", "").split(",")))
        return {"labels": {key: value for key, _, value in labels}, "taints": taints}

    async def connect(self) -> "Session":
        """A session with it."""
        if self.is_away:
            raise TemporaryError(
                f"cannot reach {self.address} by SSH: no answer in time",
                subject=self.address,
                hint="check the address, that the service sshd runs there, and the way to its port",
            )
        self.sessions += 1
        self.open_sessions += 1
        return Session(self)

    def tree(self) -> Any:
        """Every file, the node program's own included."""
        return self.host.disk.tree(without="nothing")


class Background(SimulatedBackground):
    """Work that is done at once."""

    def __init__(self, machine: Machine) -> None:
        super().__init__()
        self._machine = machine

    def start(self, argv: Any, payload: Any) -> None:
        super().start(argv, payload)
        main([*argv[2:]], machine=self._machine.host, stdin=io.StringIO(), stdout=io.StringIO())


@dataclass
class Session:
    """A session whose other end is the simulated host; one that was cut is of no more use."""

    machine: Machine
    is_cut: bool = False
    is_closed: bool = False

    @property
    def peer(self) -> str:
        return self.machine.peer

    async def run(
        self, command: Any, *, stdin: bytes = b"", timeout_s: float, on_line: Any = None
    ) -> Completed:
        assert timeout_s > 0
        machine, command = self.machine, tuple(command)
        machine.commands.append(command)
        if command[0] == "shutdown":
            machine.reboots += 1
            machine.host.features.reboot()
            return Completed(0, b"", b"")
        script = powershell.decoded(command)
        if script is not None:
            return windows_folders.answer(machine.host, script)
        if not command[0].endswith("python.exe"):
            return Completed(0, b"", b"")
        if machine.host.files.kind(command[0]) is PathKind.ABSENT:
            return Completed(1, b"", b"The system cannot find the path specified.\r\n")
        machine.orders.append(read_order(stdin.decode()).verb)
        if machine.lost_starts and on_line is not None and machine.orders[-1] != "attach":
            machine.lost_starts -= 1
            return Completed(1, b"", b"")
        out = io.StringIO()
        code = main(
            command[2:], machine=machine.host, stdin=io.StringIO(stdin.decode()), stdout=out
        )
        said = b""
        for true in out.getvalue().encode().splitlines(keepends=True):
            line = machine.odd(machine.orders[-1], true) if machine.odd is not None else true
            said += line
            if on_line is not None:
                on_line(line)
                await asyncio.sleep(0)  # where a person may interrupt
            if machine.cut_after and on_line is not None and machine.cut_after.encode() in line:
                machine.cut_after = ""
                raise TemporaryError("the session was cut")
        return Completed(code, said, b"")

    async def script(self, text: str, *, timeout_s: float) -> Completed:
        return await self.run(powershell.command(text), timeout_s=timeout_s)

    async def read(self, path: str) -> bytes | None:
        files = self.machine.host.files
        return files.read(path) if files.kind(path) is PathKind.FILE else None

    async def put(self, path: str, content: bytes) -> bool:
        if await self.read(path) == content:
            return False
        if self.machine.cut_at_put and path.endswith(self.machine.cut_at_put):
            self.machine.cut_at_put, self.is_cut = "", True
        if self.is_cut:
            raise TemporaryError("the session was cut")
        # Neither SFTP nor PowerShell moves a program aside that runs.
        disk, part = self.machine.host.disk, path + ".part"
        disk.create(part)
        disk.append(part, content)
        disk.rename(part, path)
        return True

    async def send(self, path: str, parcel: Parcel) -> bool:
        return await self.put(path, b"".join(parcel.chunks()))

    async def make_directory(self, path: str) -> bool:
        made = self.machine.host.files.kind(path) is PathKind.ABSENT
        self.machine.host.files.make_directory(path)
        return made

    async def names(self, path: str) -> tuple[str, ...]:
        files = self.machine.host.files
        return tuple(files.entries(path)) if files.kind(path) is PathKind.DIRECTORY else ()

    async def move(self, source: str, target: str) -> None:
        self.machine.host.disk.rename(source, target)

    async def remove_tree(self, path: str) -> None:
        if self.is_cut:
            raise TemporaryError("the session was cut")
        self.machine.host.files.remove_tree(path)

    async def remove_directory(self, path: str) -> bool:
        if self.machine.host.files.kind(path) is PathKind.DIRECTORY and await self.names(path):
            return False
        await self.remove_tree(path)
        return True

    async def wait_cut(self, *, timeout_s: float) -> None:
        assert timeout_s > 0

    async def close(self) -> None:
        if not self.is_closed:
            self.is_closed = True
            self.machine.open_sessions -= 1


class Cluster(MemoryApi):
    """Nodes are there once their kubelet has its own credential; `writes` counts what was changed."""

    def __init__(
        self, server_version: str, *, machines: dict[str, Machine] | None = None, **more: Any
    ) -> None:
        super().__init__(server_version, **more)
        self.machines = machines or {}
        self.writes: list[str] = []

    async def node(self, name: str) -> Node | None:
        machine = self.machines.get(name)
        health = machine.health() if machine is not None else None
        if machine is not None and health is not None:
            known = self.held_nodes.get(name) or Node(
                name=name,
                ready=health.ready,
                problem=machine.problem,
                system="windows",
                addresses=(machine.address,),
                **machine.registration(),
            )
            self.held_nodes[name] = replace(known, kubelet=health.kubelet)
        return self.held_nodes.get(name)

    async def nodes(self) -> tuple[Node, ...]:
        for name in self.machines:
            await self.node(name)
        return await super().nodes()

    async def create_secret(self, secret: Any) -> None:
        self.writes.append(f"create {secret.name}")
        await super().create_secret(secret)

    async def set_unschedulable(
        self, name: str, *, unschedulable: bool, annotations: Any = None
    ) -> None:
        self.writes.append(f"{'cordon' if unschedulable else 'uncordon'} {name}")
        await super().set_unschedulable(name, unschedulable=unschedulable, annotations=annotations)

    async def label_node(self, name: str, labels: Any) -> None:
        self.writes.append(f"label {name}")
        await super().label_node(name, labels)

    async def delete_node(self, name: str) -> bool:
        self.writes.append(f"delete {name}")
        return await super().delete_node(name)


_FLEET = """
apiVersion: transom.dev/v1alpha1
kind: Fleet
metadata: {name: shop}
spec:
  cluster: {kubeconfig: nowhere}
  kubernetes: {version: 1.37.1}
  network:
    podCIDRs: [10.244.0.0/16]
    serviceCIDRs: [10.96.0.0/12]
    flannel: {mode: overlay}
  defaults:
    windows: {release: 2022}
    taints: [{key: os, value: windows, effect: NoSchedule}]
  pools:
  - {name: web, upgrade: {maxUnavailable: 1}}
  hosts:
"""


def forget_transom(host: SimulatedHost, kubelet: str = r"C:\k\nssm.exe") -> None:
    """Let a joined host be as if others had joined it: no program of ours, and their way to start the kubelet."""
    host.services.stop("kubelet")
    wrapped = ServiceDefinition(command=kubelet, display_name="kubelet", start="auto")
    host.services.put("kubelet", wrapped)
    program = split_arguments(kubelet)[0]
    if host.files.kind(program) is PathKind.ABSENT:
        host.files.write(program, b"a wrapper")
    host.files.remove_tree(r"C:\k\transom")
    host.services.start("kubelet")
    host.flush()


WITHOUT_KUBECONFIG = (
    '{endpoint: "10.0.0.1:6443", caCertHashes: ["sha256:'
    + "0" * 64
    + '"], tokenFrom: {env: TOKEN}}'
)


def fleet_text(count: int, text: str = _FLEET) -> str:
    """The document of a fleet of so many hosts."""
    hosts = (
        f"  - {{name: win-{number:02}, address: 10.0.{number // 250}.{number % 250 + 1}, pool: web}}\n"
        for number in range(1, count + 1)
    )
    return text + "".join(hosts)


class Simulation:
    """A fleet with a machine for each of its hosts, one cluster, and time that only passes here."""

    def __init__(self, count: int = 2, *, text: str = "") -> None:
        (self.fleet,) = read_fleets((text or fleet_text(count)).encode(), name="fleet.yaml")
        self.machines = {
            host.name: Machine(name=host.name, address=host.address) for host in self.fleet.hosts
        }
        self.api = Cluster(
            server_version="1.37.1", config_maps=config_maps(), machines=self.machines
        )
        for machine in self.machines.values():
            machine.api = self.api
        self.lock = lock_of([self.fleet], (machine.host for machine in self.machines.values()))
        self.time_s = 0.0
        self.brought = Brought(python_archive(), own_program())

    def doors(self, **changes: Any) -> FleetDoors:
        """The doors to it."""
        values = {
            "api": self.api,
            "connect": self.connect,
            "clock": self,
            "now": self.now,
            "bring": lambda: self.brought,
            "parallel": 10,
        }
        return FleetDoors(**{**values, **changes})

    def connect(self, host: Host) -> Any:
        """The way to a host."""
        return self.machines[host.name].connect

    def monotonic(self) -> float:
        """Its time."""
        return self.time_s

    def now(self) -> datetime:
        """Its date, a second later whenever it is asked for."""
        self.time_s += 1
        return NOW + timedelta(seconds=self.time_s)

    async def sleep(self, seconds: float) -> None:
        """Let its time pass."""
        self.time_s += seconds
        await asyncio.sleep(0)


def python_archive() -> bytes:
    """Something in the place of Python's embeddable package."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(zipfile.ZipInfo("python.exe"), b"MZ")
    return buffer.getvalue()


def lock_of(fleets: Iterable[Fleet], hosts: Iterable[SimulatedHost]) -> Lock:
    """Put every artifact where the hosts find it, and name its sum."""
    machines, entries = list(hosts), {}
    for item in artifacts_of(fleets):
        artifact = item.artifact
        content = _content(artifact)
        for host in machines:
            host.source.content[artifact.url] = content
        entries[item.key] = LockEntry(
            id=artifact.id,
            version=artifact.version,
            url=artifact.url,
            sha256=hashlib.sha256(content).hexdigest(),
            size=len(content),
            sum_from=SumFrom.FIRST_USE,
        )
    return Lock(tuple(entries.values()))


def _content(artifact: Artifact) -> bytes:
    if artifact.id == "python":
        return python_archive()
    if artifact.unpack is Unpack.FILE:
        return f"{artifact.id} {artifact.version}".encode()
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for member in artifact.members:
            entry = tarfile.TarInfo(member.name)
            entry.size = len(member.name)
            archive.addfile(entry, io.BytesIO(member.name.encode()))
    return gzip.compress(buffer.getvalue(), mtime=0)
