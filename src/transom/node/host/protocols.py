"""What the node program may ask of a Windows host, one narrow protocol per noun.

Steps see `ReadHost` in check, which has no writing method at all, `Host` in apply, and `UndoHost` in
undo. The
implementations are `simulated`, `windows` and, around either, `transom.node.journalling`. Each
raises only errors of `transom.errors`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from io import BufferedIOBase
from typing import Protocol

from transom.model.request import SourceAccess
from transom.node.host.values import (
    Adapter,
    ClusterNode,
    Completed,
    FeatureState,
    FirewallPort,
    HnsState,
    NodeHealth,
    PathKind,
    RegistryData,
    ServiceDefinition,
    ServiceStatus,
    Signature,
    Volume,
    WebAnswer,
)


class ReadFiles(Protocol):
    """Files and directories, for looking."""

    def kind(self, path: str) -> PathKind:
        """Say what is at the path."""

    def read(self, path: str) -> bytes:
        """Give the whole content of a file."""

    def open(self, path: str) -> BufferedIOBase:
        """Open a file for reading by parts."""

    def size(self, path: str) -> int:
        """Give the length of a file in bytes."""

    def entries(self, path: str) -> tuple[str, ...]:
        """Give the names in a directory, sorted."""

    def acl(self, path: str) -> str:
        """Give owner and access of a path as SDDL."""


class Disk(ReadFiles, Protocol):
    """The primitives of a file system; only `flush` promises that something outlives a power cut.

    Creating replaces what is there by an empty file, with that access where one is given.
    """

    def create(self, path: str, *, acl: str = "") -> None:
        """Make an empty file."""

    def append(self, path: str, data: bytes) -> None:
        """Add bytes at the end of a file, which is made where it is missing."""

    def flush(self, path: str) -> None:
        """Return when the file, its name and its content would outlive a power cut."""

    def rename(self, source: str, target: str) -> None:
        """Give a file another name, in one instant, replacing what had it."""

    def remove(self, path: str) -> None:
        """Remove a file or link; nothing happens where there is none."""

    def make_directory(self, path: str) -> None:
        """Make one directory whose parent exists."""

    def remove_directory(self, path: str) -> None:
        """Remove an empty directory."""

    def set_acl(self, path: str, sddl: str) -> None:
        """Set the access of a path."""

    def lock(self, path: str, holder: str) -> AbstractContextManager[None]:
        """Hold a file that no other process can hold; raise TemporaryError naming the holder."""


class Files(ReadFiles, Protocol):
    """Files and directories, for changing; every write is whole or did not happen."""

    def write(
        self, path: str, content: bytes | Iterable[bytes], *, acl: str = "", secret: bool = False
    ) -> None:
        """Put a file in place; its directory must exist. Secret content is never recorded."""

    def keep(self, path: str) -> None:
        """Record what is there before an outside program changes, makes or removes that file."""

    def flush(self, path: str) -> None:
        """Return when a file that an outside program wrote would outlive a power cut."""

    def append(self, path: str, data: bytes) -> None:
        """Add to a file that may be half there, such as a download."""

    def move(self, source: str, target: str) -> None:
        """Give a finished file its name, replacing what had it."""

    def remove(self, path: str, *, secret: bool = False) -> None:
        """Remove a file if it is there."""

    def make_directory(self, path: str) -> None:
        """Make a directory and those above it that are missing."""

    def set_acl(self, path: str, sddl: str) -> None:
        """Set the access of a path."""


class UndoFiles(Files, Protocol):
    """The same, with what only an undo may do."""

    def remove_tree(self, path: str) -> None:
        """Remove a directory with all below it, following no link."""


class ReadRegistry(Protocol):
    """Keys and values under HKEY_LOCAL_MACHINE, for looking."""

    def has_key(self, key: str) -> bool:
        """Say whether a key exists."""

    def get(self, key: str, name: str) -> RegistryData | None:
        """Give a value, None where there is none."""


class Registry(ReadRegistry, Protocol):
    """The same, for changing."""

    def make_key(self, key: str) -> None:
        """Make a key and those above it that are missing."""

    def put(self, key: str, name: str, data: RegistryData | None) -> None:
        """Set a value of an existing key; None deletes it."""


class UndoRegistry(Registry, Protocol):
    """The same, with what only an undo may do."""

    def delete_key(self, key: str) -> None:
        """Delete a key with everything in it, if it is there."""


class ReadEnvironment(Protocol):
    """Machine-wide variables, for looking."""

    def get(self, name: str) -> str | None:
        """Give a variable as it is stored, unexpanded."""


class Environment(ReadEnvironment, Protocol):
    """The same, for changing."""

    def put(self, name: str, value: str | None) -> None:
        """Set a variable; None deletes it."""

    def add_entry(self, name: str, entry: str) -> None:
        """Add an entry at the end of a list such as PATH, unless it is there."""


class UndoEnvironment(Environment, Protocol):
    """The same, with what only an undo may do."""

    def remove_entry(self, name: str, entry: str) -> None:
        """Remove an entry from such a list, and the list when nothing is left."""


class ReadFeatures(Protocol):
    """Optional features of Windows, for looking."""

    def state(self, name: str) -> FeatureState:
        """Say whether a feature is on."""


class Features(ReadFeatures, Protocol):
    """The same, for changing; neither call reboots."""

    def enable(self, name: str) -> None:
        """Turn a feature on, perhaps as of the next boot."""

    def disable(self, name: str) -> None:
        """Turn a feature off, perhaps as of the next boot."""


class ReadFirewall(Protocol):
    """Inbound firewall rules by name, for looking."""

    def get(self, name: str) -> FirewallPort | None:
        """Give a rule, None where there is none."""


class Firewall(ReadFirewall, Protocol):
    """The same, for changing."""

    def put(self, name: str, rule: FirewallPort | None) -> None:
        """Set a rule; None deletes it."""


class ReadDefender(Protocol):
    """Processes that Windows Defender leaves alone, for looking."""

    def present(self) -> bool:
        """Say whether the host has Windows Defender at all."""

    def excluded(self, process: str) -> bool:
        """Say whether a process is left alone."""


class Defender(ReadDefender, Protocol):
    """The same, for changing."""

    def exclude(self, process: str) -> None:
        """Leave a process alone."""


class UndoDefender(Defender, Protocol):
    """The same, with what only an undo may do."""

    def include(self, process: str) -> None:
        """Watch a process again."""


class ReadServices(Protocol):
    """Windows services, for looking."""

    def get(self, name: str) -> ServiceDefinition | None:
        """Give a service's definition, None where there is none."""

    def running(self, name: str) -> bool:
        """Say whether a service runs or is starting."""


class Services(ReadServices, Protocol):
    """The same, for changing; stopping returns when the process is gone."""

    def put(self, name: str, definition: ServiceDefinition | None) -> None:
        """Make or change a service; None stops and deletes it."""

    def start(self, name: str) -> None:
        """Start a service and wait until it runs."""

    def stop(self, name: str) -> None:
        """Stop a service and wait until its process has gone; nothing where it does not run."""


class Processes(Protocol):
    """Outside programs, by argument list."""

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float,
        secrets: tuple[str, ...] = (),
        search: tuple[str, ...] = (),
        environment: Mapping[str, str] | None = None,
        stdin: bytes = b"",
    ) -> Completed:
        """Run a program to its end; raise PermanentError when the time is up.

        Args:
            argv: The program and its arguments.
            timeout_s: How long it may take.
            secrets: What is masked in its output.
            search: Directories where it finds other programs first.
            environment: Variables it gets beside those of this process.
            stdin: What it reads.
        """

    def start(
        self,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str],
        output: Callable[[bytes], None],
    ) -> "Child":
        """Start a program that ends with this one; each line of its output goes to `output`."""

    def variable(self, name: str) -> str:
        """Give a variable of this very process, empty where it is not set."""


class Child(Protocol):
    """A program that runs beside this one."""

    def ended(self) -> int | None:
        """Give its exit code, None while it runs."""

    def stop(self) -> None:
        """Ask it to end, end it where it does not within seconds, and return when it is gone."""


class ReadNetwork(Protocol):
    """Routes, DNS suffixes, adapters and HNS networks, for looking."""

    def adapters(self) -> tuple[Adapter, ...]:
        """Give the adapters that are up."""

    def dns_suffixes(self) -> tuple[str, ...]:
        """Give the DNS suffix search list."""

    def has_route(self, prefix: str) -> bool:
        """Say whether a route is in use now."""

    def persistent_route(self, prefix: str) -> str | None:
        """Give the gateway of a persistent route, None where there is none."""

    def hns_network(self, name: str) -> bool:
        """Say whether the host network service has a network of that name."""

    def reaches(self, host: str, port: int) -> bool:
        """Say whether a TCP connection succeeds within a few seconds."""

    def gateways(self) -> tuple[str, ...]:
        """Give the addresses of the default gateways."""

    def answers(self, address: str) -> bool:
        """Say whether an address answers an echo request within a few seconds."""

    def is_free(self, port: int) -> bool:
        """Say whether nobody listens on a TCP port of this host."""

    def time_at(self, host: str, port: int) -> float | None:
        """Give the clock of an HTTPS server in seconds since the epoch, None where it is silent."""


class Network(ReadNetwork, Protocol):
    """The same, for changing."""

    def add_dns_suffix(self, suffix: str) -> None:
        """Add a suffix at the end of the search list, unless it is there."""

    def put_route(self, prefix: str, gateway: str | None) -> None:
        """Set a persistent route; None deletes it."""


class UndoNetwork(Network, Protocol):
    """The same, with what only an undo may do."""

    def remove_dns_suffix(self, suffix: str) -> None:
        """Remove a suffix from the search list."""

    def delete_hns_network(self, name: str) -> None:
        """Delete a network with its endpoints and the balancers that name them, if there."""


class ReadSystem(Protocol):
    """The machine itself."""

    def computer_name(self) -> str:
        """Give the host's name."""

    def build(self) -> tuple[int, int]:
        """Give the Windows build and its revision."""

    def elevated(self) -> bool:
        """Say whether this process has an administrator's full rights."""

    def free_bytes(self, path: str) -> int:
        """Give the room on the volume of that path."""

    def reboot_pending(self) -> bool:
        """Say whether Windows waits for a reboot."""

    def now(self) -> float:
        """Give the host's clock, in seconds since the epoch."""

    def edition(self) -> str:
        """Give the edition of Windows, such as ServerDatacenter."""

    def domain(self) -> str:
        """Give the domain the host is a member of, empty for a workgroup."""

    def volumes(self) -> Mapping[str, Volume]:
        """Give the room on each volume with a letter, by its root."""


class Cluster(Protocol):
    """The API server, asked with the kubelet's own credential."""

    def node(self, kubeconfig: str, node: str) -> ClusterNode | None:
        """Give a Node, None where there is none; TemporaryError where no server answers.

        Args:
            kubeconfig: The path of the kubelet's kubeconfig.
            node: The name of the Node.
        """

    def health(self, kubeconfig: str, node: str) -> NodeHealth | None:
        """Give how a Node is, None where there is none; TemporaryError where none answers.

        Args:
            kubeconfig: The path of the kubelet's kubeconfig.
            node: The name of the Node.
        """


class Hns(Protocol):
    """The host network service, for whoever keeps what a program left there in order."""

    def state(self) -> HnsState:
        """Give everything it has; raise a TransomError where it does not answer."""

    def network(self, name: str) -> str:
        """Give the identity of the network of that name, empty where there is none."""

    def delete_endpoint(self, identity: str) -> None:
        """Delete an endpoint, if it is there."""

    def delete_balancer(self, identity: str) -> None:
        """Delete a balancer, if it is there."""


class Vitals(Protocol):
    """What only a diagnosis asks: states that no step makes, read where Windows keeps them."""

    def service(self, name: str) -> ServiceStatus | None:
        """Give a service's state, None where there is no such service."""

    def hns(self) -> HnsState:
        """Give everything the host network service has."""

    def volume(self, path: str) -> Volume:
        """Give the room on the volume of that path."""

    def pipes(self) -> tuple[str, ...]:
        """Give the names of the named pipes there are, sorted."""

    def events(self, log: str, count: int) -> str:
        """Give the newest entries of an event log as text, newest first."""


class Clock(Protocol):
    """Time and waiting."""

    def now(self) -> float:
        """Give seconds since the epoch."""

    def monotonic(self) -> float:
        """Give seconds that never go back."""

    def sleep(self, seconds: float) -> None:
        """Wait."""


class Source(Protocol):
    """Where downloads come from."""

    def open(
        self, url: str, *, offset: int, access: SourceAccess
    ) -> AbstractContextManager[tuple[bool, Iterator[bytes]]]:
        """Give whether the offset was honoured, and the bytes from there; TemporaryError on loss."""


class WebCalls(Protocol):
    """Single calls over HTTP."""

    def call(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str],
        body: bytes | None = None,
        direct: bool = False,
    ) -> WebAnswer:
        """Give the answer, whatever its status; TemporaryError where there is none.

        Args:
            method: GET, PUT, POST or DELETE.
            url: The address.
            headers: Sent with it.
            body: Sent with it, where there is one.
            direct: Never through a proxy, as for the metadata of this very machine.
        """


class Background(Protocol):
    """Work that outlives the session that starts it."""

    def start(self, argv: Sequence[str], payload: bytes) -> None:
        """Start this program again, apart from this session, and hand the payload over."""

    def is_started(self) -> bool:
        """Whether a program that was started so has not ended."""

    def serve(self, work: Callable[[bytes], None]) -> None:
        """Be that program: take the payload, work, and go away."""

    def leave(self, argv: Sequence[str], payload: bytes) -> None:
        """Start this program again as a process that stays when this one ends; not waited for."""

    def be_session(self, work: Callable[[Callable[[], bool]], int]) -> int:
        """Work in this session, give the work's exit code; `work` is told of signals to stop."""

    def be_service(self, name: str, work: Callable[[Callable[[], bool]], int]) -> int:
        """Be a registered service: work until done, give its exit code.

        Args:
            name: The service's name.
            work: Gets a function that says whether the service was asked to stop.
        """


class Signatures(Protocol):
    """Authenticode signatures, as Windows judges them."""

    def of(self, path: str) -> Signature | None:
        """Give whose signature a file carries, None where it carries none."""


class ReadHost(Protocol):
    """A host to look at. It has no writing method, so a dry run cannot write."""

    @property
    def files(self) -> ReadFiles: ...
    @property
    def registry(self) -> ReadRegistry: ...
    @property
    def environment(self) -> ReadEnvironment: ...
    @property
    def features(self) -> ReadFeatures: ...
    @property
    def firewall(self) -> ReadFirewall: ...
    @property
    def defender(self) -> ReadDefender: ...
    @property
    def services(self) -> ReadServices: ...
    @property
    def network(self) -> ReadNetwork: ...
    @property
    def system(self) -> ReadSystem: ...
    @property
    def signatures(self) -> Signatures: ...


class Host(Protocol):
    """A host to change."""

    @property
    def files(self) -> Files: ...
    @property
    def registry(self) -> Registry: ...
    @property
    def environment(self) -> Environment: ...
    @property
    def features(self) -> Features: ...
    @property
    def firewall(self) -> Firewall: ...
    @property
    def defender(self) -> Defender: ...
    @property
    def services(self) -> Services: ...
    @property
    def network(self) -> Network: ...
    @property
    def system(self) -> ReadSystem: ...
    @property
    def signatures(self) -> Signatures: ...
    @property
    def processes(self) -> Processes: ...
    @property
    def source(self) -> Source: ...
    @property
    def cluster(self) -> Cluster: ...

    def note(self, act: str, subject: str, before: Mapping[str, object] | None) -> None:
        """Record a change that an outside program is about to make."""


class UndoHost(Host, Protocol):
    """A host to put back as it was; nothing done to it is recorded."""

    @property
    def files(self) -> UndoFiles: ...
    @property
    def registry(self) -> UndoRegistry: ...
    @property
    def environment(self) -> UndoEnvironment: ...
    @property
    def defender(self) -> UndoDefender: ...
    @property
    def network(self) -> UndoNetwork: ...


class Machine(UndoHost, Protocol):
    """The whole host as the runner holds it: also the bare disk, the clock and the last flush."""

    @property
    def disk(self) -> Disk: ...
    @property
    def clock(self) -> Clock: ...
    @property
    def background(self) -> Background: ...
    @property
    def vitals(self) -> Vitals: ...
    @property
    def hns(self) -> Hns: ...
    @property
    def web(self) -> WebCalls: ...

    def flush(self) -> None:
        """Return when everything written so far would outlive a power cut."""
