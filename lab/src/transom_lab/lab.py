"""A lab as a whole: brought up, looked at, taken down. The only module that knows all the parts.

Everything of a lab is below one directory. Every process is in the ground room's process namespace,
so `down` is one kill and one removal, also after a crash; what a killed `up` left behind is found by
the marker its processes carry, and cleaned before the next one. Prints nothing.
"""

import shutil
import socket
import sys
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from transom.errors import UsageError
from transom_lab import clusterapi
from transom_lab import record as records
from transom_lab.binaries import Binaries
from transom_lab.controlplane import PROGRAMS, Component, ControlPlane
from transom_lab.host import PROGRAM_FOLDER, HostPlan, WindowsHost
from transom_lab.launcher import launcher
from transom_lab.locks import exclusive
from transom_lab.namespaces import Enter, Room, processes_below
from transom_lab.native import build_native
from transom_lab.network import CONTROL_PLANE, MAX_HOSTS, host_address, make_bridge
from transom_lab.prefix import base_prefix
from transom_lab.processes import failed, run_program
from transom_lab.programs import Goos, Program, default_version, program
from transom_lab.progress import Progress
from transom_lab.record import Record
from transom_lab.registry import windows_release
from transom_lab.scratch import clear_abandoned
from transom_lab.wine import Wine

WINDOWS_PROGRAMS = ("kubeadm", "kubelet", "kube-proxy")
DEFAULT_WINDOWS = "2022"

_LOCK_TIMEOUT_S = 1800.0
_KUBECTL_S = 60.0
_AT_ONCE = 5
_RUNTIME = r'"C:\Program Files\containerd\containerd-standin.exe"'
KUBELET_COMMAND = (
    rf"{PROGRAM_FOLDER}\kubelet.exe --windows-service --v=2"
    r" --config=C:\var\lib\kubelet\config.yaml"
    r" --bootstrap-kubeconfig=C:\etc\kubernetes\bootstrap-kubelet.conf"
    r" --kubeconfig=C:\etc\kubernetes\kubelet.conf"
    r" --cert-dir=C:\var\lib\kubelet\pki"
)


@dataclass(frozen=True)
class Wish:
    """What `up` was asked for."""

    hosts: int = 1
    kubernetes: str | None = None
    windows: str | None = None
    components: tuple[Component, ...] = tuple(Component)
    bare: bool = False
    cluster_api: bool = False
    binaries: Path | None = None


class Lab:
    """One lab, known by its directory."""

    def __init__(self, directory: Path, *, cache: Path, progress: Progress) -> None:
        self.directory = directory
        self.control_plane = ControlPlane(directory / "cp")
        self.key = directory / "id_ed25519"
        self._cache = cache
        self._progress = progress
        self.ground = Room(directory / "ground")
        self._record_file = directory / "lab.json"

    @property
    def record(self) -> Record:
        """What the lab is; raises where there is none."""
        found = records.read(self._record_file)
        if found is None:
            raise UsageError(
                f"there is no lab in {self.directory}",
                subject=str(self.directory),
                hint="run `transom lab up`",
            )
        return found

    @property
    def exists(self) -> bool:
        """Whether anything of the lab is there: files or processes."""
        return self.directory.exists() or bool(processes_below(self.directory))

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig, for use on this machine."""
        return self.control_plane.admin_conf

    @property
    def authorized_keys(self) -> Path:
        """The public key that opens every host."""
        return self.key.with_suffix(".pub")

    def host(self, name: str) -> WindowsHost:
        """The host called `name`."""
        return self._host(self.record.host(name))

    def hosts(self) -> list[WindowsHost]:
        """Every host."""
        return [self._host(plan) for plan in self.record.hosts]

    def program(self, name: str) -> Path:
        """A Linux program the lab uses, for example kubectl."""
        return Path(self.record.programs[name])

    def kubectl(self, *arguments: str, stdin: str = "", timeout_s: float = _KUBECTL_S) -> str:
        """What kubectl answers the cluster's administrator; raise where it ends with an error."""
        argv = [str(self.program("kubectl")), "--kubeconfig", str(self.kubeconfig), *arguments]
        done = run_program(argv, timeout_s=timeout_s, env=None, stdin=stdin.encode())
        if done.returncode:
            raise failed(argv, done)
        return done.stdout.decode()

    def await_node(self, name: str, *, timeout_s: float = _KUBECTL_S) -> None:
        """Wait until there is a Node of that name and it is Ready."""
        for wanted in ("create", "condition=Ready"):
            words = ("wait", f"node/{name}", f"--for={wanted}", f"--timeout={timeout_s:.0f}s")
            self.kubectl(*words, timeout_s=timeout_s + _KUBECTL_S)

    def up(self, wish: Wish) -> Record:
        """Bring the lab to what was asked for; what already runs is left alone."""
        _check(wish)
        with self._lock():
            found = records.read(self._record_file)
            if found is None or not found.complete or not self._runs(found):
                self._remove()
                found = self._start(wish)
            _check_same(found, wish)
            if wish.cluster_api:
                self._start_cluster_api(wish)
            wanted = self._plans(found, wish)
            missing = [plan for plan in wanted if not self._is_up(found, plan)]
            if missing:
                found = self._add_hosts(found.with_hosts(wanted), missing, wish)
            return found

    def down(self) -> None:
        """End every process and remove every file of the lab."""
        with self._lock():
            self._remove()
            self._lock_file.unlink(missing_ok=True)

    @property
    def _lock_file(self) -> Path:
        return self.directory.with_suffix(".lock")

    def _lock(self) -> AbstractContextManager[None]:
        return exclusive(self._lock_file, timeout_s=_LOCK_TIMEOUT_S)

    def _remove(self) -> None:
        Room(self.directory).close()
        if self.directory.exists():
            shutil.rmtree(self.directory)
        clear_abandoned(self._cache)

    def _runs(self, found: Record) -> bool:
        wanted = {Component(name) for name in found.components}
        return (
            self.ground.init_pid is not None
            and self.ground.is_alive("forward-api")
            and wanted <= self.control_plane.alive()
        )

    def _is_up(self, found: Record, plan: HostPlan) -> bool:
        host = self._host(plan)
        return plan in found.hosts and host.is_complete and host.is_up

    def _host(self, plan: HostPlan) -> WindowsHost:
        return WindowsHost(self.directory / "hosts" / plan.name, plan, Wine.find())

    def _start(self, wish: Wish) -> Record:
        """Start control plane and hosts at once: neither needs the other."""
        version = wish.kubernetes or default_version("kubernetes")
        binaries = self._binaries(wish)
        names = ["kubeadm", "kubectl", *(PROGRAMS[c] for c in wish.components if c in PROGRAMS)]
        linux = [program(name, Goos.LINUX, version) for name in names]
        wanted = [*linux, *(_windows_programs(version) if wish.hosts and not wish.bare else ())]
        found = binaries.fetch(wanted)
        programs = {item.name: found[item] for item in linux}
        lab = Record(
            kubernetes=version,
            components=tuple(wish.components),
            api_port=_free_port(),
            hosts=(),
            programs={name: str(path) for name, path in programs.items()},
        )
        lab = lab.with_hosts(self._plans(lab, wish))
        programs |= {part: programs[name] for part, name in PROGRAMS.items() if name in programs}
        programs[Component.ETCD] = binaries.etcd()
        hosts = self._host_tasks(lab, lab.hosts, wish)
        self.directory.mkdir(parents=True, mode=0o700)
        records.write(self._record_file, lab)
        what = ", ".join([f"the Kubernetes {version} control plane", *_names(lab.hosts)])
        with self._progress.stage(f"starting {what}"):
            _make_key(self.key)
            self.ground.open(hostname="ground")
            make_bridge(self.ground)
            self._forward("forward-api", lab.api_port, f"{CONTROL_PLANE}:6443")
            self._serve("caretaker", str(self.directory))
            control_plane = partial(
                self.control_plane.start,
                self.ground,
                version=version,
                programs=programs,
                components=wish.components,
                local_port=lab.api_port,
            )
            _at_once([control_plane, *hosts])
        lab = replace(lab, complete=True)
        records.write(self._record_file, lab)
        return lab

    def _start_cluster_api(self, wish: Wish) -> None:
        room = self.control_plane.room
        if all(room.is_alive(manager.program) for manager in clusterapi.MANAGERS):
            return
        wanted = [program(manager.program, Goos.LINUX) for manager in clusterapi.MANAGERS]
        programs = self._binaries(wish).fetch(wanted)
        with self._progress.stage("starting the Cluster API controllers"):
            for manager in clusterapi.MANAGERS:
                room.stop(manager.program)
            kubectl = self.program("kubectl")
            clusterapi.start(self.control_plane, kubectl=kubectl, programs=programs)

    def _plans(self, found: Record, wish: Wish) -> list[HostPlan]:
        more = [
            HostPlan(
                name=f"win{number}",
                address=str(host_address(number)),
                windows=wish.windows or DEFAULT_WINDOWS,
                local_port=_free_port(),
            )
            for number in range(len(found.hosts) + 1, wish.hosts + 1)
        ]
        return [*found.hosts, *more]

    def _add_hosts(self, lab: Record, plans: Sequence[HostPlan], wish: Wish) -> Record:
        """Start hosts of a lab that runs."""
        tasks = self._host_tasks(lab, plans, wish)
        records.write(self._record_file, lab)
        with self._progress.stage(f"starting {', '.join(_names(plans))}"):
            _at_once(tasks)
        return lab

    def _host_tasks(
        self, lab: Record, plans: Sequence[HostPlan], wish: Wish
    ) -> list[Callable[[], None]]:
        """Have everything that these hosts are made of, and give what starts each of them."""
        if not plans:
            return []
        wine = Wine.find()
        with self._progress.stage("building the stand-ins"):
            parts = build_native(self._cache, self._progress.note)
            launch = launcher(self._cache)
        bases = {
            name: base_prefix(
                cache=self._cache,
                wine=wine,
                parts=parts,
                release=windows_release(name),
                progress=self._progress,
            )
            for name in {plan.windows for plan in plans}
        }
        files = {r"C:\Windows\System32\launch.exe": launch}
        if not wish.bare:
            found = self._binaries(wish).fetch(_windows_programs(lab.kubernetes))
            files |= {rf"{PROGRAM_FOLDER}\{p.file_name}": path for p, path in found.items()}

        def start(plan: HostPlan) -> None:
            host = self._host(plan)
            host.room.close()
            host.create(bases[plan.windows], files, registry=parts.registry)
            host.start(self.ground, authorized_keys=self.authorized_keys)
            if not wish.bare:
                prepare(host)
            host.note_complete()

        return [partial(start, plan) for plan in plans]

    def _binaries(self, wish: Wish) -> Binaries:
        return Binaries(cache=self._cache, progress=self._progress, named=wish.binaries)

    def _forward(self, name: str, port: int, target: str) -> None:
        network = str(self.ground.init_pid)
        self._serve(
            *(name, "--listen", str(port), "--network-of", network, "--connect", target),
            module="forward",
        )

    def _serve(self, name: str, *arguments: str, module: str = "") -> None:
        """Start a process of the lab's own, with the machine's network and files."""
        self.ground.spawn(
            name,
            [sys.executable, "-m", f"transom_lab.{module or name}", *arguments],
            log=self.directory / f"{name}.log",
            enter=Enter.PROCESSES,
        )


def prepare(host: WindowsHost) -> None:
    """What a node needs before `kubeadm join`: the runtime stand-in and the kubelet's service."""
    pods = f"10.244.{host.plan.address.rsplit('.', 1)[1]}.0/24"
    host.create_service("containerd", f"{_RUNTIME} -service -cidr {pods}")
    host.create_service(
        "kubelet",
        f"{KUBELET_COMMAND} --hostname-override={host.plan.name} --node-ip={host.plan.address}",
        depends="containerd",
    )
    host.start_service("containerd")


def _windows_programs(version: str) -> list[Program]:
    return [program(name, Goos.WINDOWS, version) for name in WINDOWS_PROGRAMS]


def _check(wish: Wish) -> None:
    if not 0 <= wish.hosts <= MAX_HOSTS:
        raise UsageError(
            f"cannot start {wish.hosts} hosts: 0 to {MAX_HOSTS} fit", subject="--hosts"
        )
    windows_release(wish.windows or DEFAULT_WINDOWS)
    needed = {Component.ETCD, Component.APISERVER}
    if not needed <= set(wish.components):
        raise UsageError(
            "a control plane needs at least etcd and apiserver", subject="--components"
        )
    if wish.cluster_api and set(wish.components) != set(Component):
        raise UsageError(
            "the Cluster API controllers need a whole control plane",
            subject="--components",
            hint="leave --components out",
        )
    if wish.hosts and set(wish.components) != set(Component):
        raise UsageError(
            "hosts cannot join a partial control plane",
            subject="--components",
            hint="add --hosts 0, or leave --components out",
        )


def _check_same(found: Record, wish: Wish) -> None:
    """A running lab is never turned into another one behind its user's back."""
    differs = []
    if wish.kubernetes and wish.kubernetes != found.kubernetes:
        differs.append(f"Kubernetes {found.kubernetes}, not {wish.kubernetes}")
    if set(wish.components) != set(found.components):
        differs.append(f"components {','.join(found.components)}")
    releases = sorted({plan.windows for plan in found.hosts})
    grows = wish.hosts > len(found.hosts)
    if wish.windows and releases and not grows and wish.windows not in releases:
        differs.append(f"Windows Server {' and '.join(releases)}, not {wish.windows}")
    if differs:
        raise UsageError(
            f"a lab is already up with {' and '.join(differs)}",
            hint="run `transom lab down` first, or choose another --name; more --hosts may be of another"
            " release",
        )


def _names(plans: Sequence[HostPlan]) -> list[str]:
    return [plan.name for plan in plans]


def _at_once(tasks: Collection[Callable[[], None]]) -> None:
    """Do all at once and report the first failure after all have ended."""
    with ThreadPoolExecutor(max_workers=min(_AT_ONCE, len(tasks))) as pool:
        outcomes = [pool.submit(task) for task in tasks]
    for outcome in outcomes:
        outcome.result()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _make_key(path: Path) -> None:
    import asyncssh

    key = asyncssh.generate_private_key("ssh-ed25519", comment="transom-lab")
    path.touch(mode=0o600)
    path.write_bytes(key.export_private_key())
    path.with_suffix(".pub").write_bytes(key.export_public_key())
