"""A Windows host in memory, for tests and plans: every noun, and what a power cut does to it.

Programs are functions a test puts in `programs`.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from transom.errors import PermanentError
from transom.node.host.files import SafeFiles
from transom.node.host.values import Completed, PathKind
from transom.node.layout import Layout
from transom.testing.faults import Calls
from transom.testing.simulated_disk import SimulatedDisk
from transom.testing.simulated_network import (
    SimulatedCluster,
    SimulatedNetwork,
    SimulatedRoots,
    SimulatedSource,
    SimulatedWeb,
)
from transom.testing.simulated_services import SimulatedBackground, SimulatedServices
from transom.testing.simulated_settings import (
    Settings,
    SimulatedDefender,
    SimulatedEnvironment,
    SimulatedFeatures,
    SimulatedFirewall,
    SimulatedRegistry,
)
from transom.testing.simulated_system import SimulatedClock, SimulatedSignatures, SimulatedSystem
from transom.testing.simulated_vitals import SimulatedHns, SimulatedVitals

Program = Callable[["SimulatedHost", Sequence[str]], Completed]


@dataclass
class SimulatedProcesses:
    """Programs by the lower-case name of their file.

    `given` is what the last one got: its standard input and variables. `children` are those that were
    started to run beside; a test ends them.
    """

    host: "SimulatedHost"
    ran: list[tuple[str, ...]] = field(default_factory=list)
    given: tuple[bytes, Mapping[str, str]] = field(default=(b"", {}))
    children: list["SimulatedChild"] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)

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
        del search
        self.ran.append(tuple(argv))
        self.given = (stdin, environment or {})
        program = self.host.programs.get(argv[0].rpartition("\\")[2].lower())
        if program is None or not self._is_there(argv[0]):
            raise PermanentError(f"cannot start {argv[0]}: no such program", subject=argv[0])
        began = self.host.clock.monotonic()
        done = program(self.host, argv)
        if self.host.clock.monotonic() - began > timeout_s:
            raise PermanentError(f"{argv[0]} did not end within {timeout_s:.0f} s", subject=argv[0])
        output = done.output
        for secret in secrets:
            output = output.replace(secret, "***")
        return Completed(code=done.code, output=output)

    def start(
        self,
        argv: Sequence[str],
        *,
        environment: Mapping[str, str],
        output: Callable[[bytes], None],
    ) -> "SimulatedChild":
        child = SimulatedChild(tuple(argv), environment, output, self.host.disk)
        self.host.disk.run_image(child.process, argv[0])
        self.children.append(child)
        return child

    def variable(self, name: str) -> str:
        return self.variables.get(name, "")

    def _is_there(self, path: str) -> bool:
        """Whether a file has that path; Windows' own programs are not kept on the simulated disk."""
        is_own = path.lower().startswith("c:\\windows\\") or "\\" not in path
        return is_own or self.host.disk.kind(path) is PathKind.FILE


@dataclass
class SimulatedChild:
    """A program that runs until a test or its keeper ends it, and holds its file meanwhile."""

    argv: tuple[str, ...]
    environment: Mapping[str, str]
    output: Callable[[bytes], None]
    disk: SimulatedDisk
    code: int | None = None

    @property
    def process(self) -> str:
        """What the disk knows it by."""
        return f"process {id(self)}"

    def ended(self) -> int | None:
        return self.code

    def stop(self) -> None:
        if self.code is None:
            self.end(1)

    def end(self, code: int, last_words: str = "") -> None:
        """End by itself."""
        if last_words:
            self.output(f"{last_words}\n".encode())
        self.disk.end_images(self.process)
        self.code = code


class SimulatedHost:
    """All nouns together; `snapshot` is the surface that undo must bring back."""

    def __init__(self, *, state: str = r"C:\k\transom\state") -> None:
        self.calls = Calls()
        self.state, self.old = state, Layout().old
        self.disk = SimulatedDisk(self.calls)
        self.settings = Settings(self.calls)
        self.files = SafeFiles(self.disk)
        self.registry = SimulatedRegistry(self.settings)
        self.environment = SimulatedEnvironment(self.settings)
        self.features = SimulatedFeatures(self.settings)
        self.firewall = SimulatedFirewall(self.settings)
        self.defender = SimulatedDefender(self.settings)
        self.services = SimulatedServices(self.settings, self.disk)
        self.roots = SimulatedRoots()
        self.network = SimulatedNetwork(self.settings, self.roots)
        self.system = SimulatedSystem()
        self.signatures = SimulatedSignatures(self.disk)
        self.source = SimulatedSource(self.calls, self.roots)
        self.web = SimulatedWeb(self.calls)
        self.cluster = SimulatedCluster(self.calls)
        self.clock = SimulatedClock()
        self.background = SimulatedBackground()
        self.vitals = SimulatedVitals(self.services, self.network)
        self.hns = SimulatedHns(self.vitals)
        self.programs: dict[str, Program] = {}
        self.processes = SimulatedProcesses(self)

    def note(self, act: str, subject: str, before: Mapping[str, object] | None) -> None:
        """Nothing is recorded on the bare host."""

    def flush(self, *, registry: bool = True) -> None:
        """Make everything durable."""

        def act() -> None:
            self.disk.flush_all()
            if registry:
                self.settings.flush()

        self.calls.made("flush everything", act)

    def power_cycle(self, chance: random.Random) -> None:
        """Lose a random subset of what was not flushed, and boot."""
        self.calls.clear()
        self.disk.cut(chance)
        self.settings.cut(chance)
        self.disk.boot()
        self.services.boot()
        self.calls.clear()

    def snapshot(self) -> dict[str, Any]:
        """Everything on the host but the node program's own state and waste, for comparing."""
        settings = {
            f"{noun} {subject}": asdict(value) if hasattr(value, "__slots__") else value
            for (noun, subject), value in self.settings.seen.items()
        }
        return {
            "files": self.disk.tree(without=(self.state, self.old)),
            "settings": settings,
            "running": set(self.services.alive),
        }
