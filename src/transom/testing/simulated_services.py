"""Services of the simulated host, and work apart from a session."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from transom.errors import PermanentError
from transom.node.host.quoting import split_arguments
from transom.node.host.values import PathKind, ServiceDefinition
from transom.node.layout import Layout
from transom.testing.simulated_disk import SimulatedDisk
from transom.testing.simulated_settings import Settings

_OWN = ("c:\\windows\\", Layout().home.lower() + "\\python\\")


@dataclass
class SimulatedServices:
    """Services; after a boot those run that start automatically and do not end by themselves.

    One that runs holds the programs its command line names.
    """

    settings: Settings
    disk: SimulatedDisk
    alive: set[str] = field(default_factory=set)
    ends_by_itself: Callable[[str], bool] = lambda _name: False

    def get(self, name: str) -> ServiceDefinition | None:
        definition: ServiceDefinition | None = self.settings.get("service", name)
        return definition

    def running(self, name: str) -> bool:
        self.settings.calls.looked()
        return name.lower() in self.alive

    def put(self, name: str, definition: ServiceDefinition | None) -> None:
        if definition is None:
            self.stop(name)
        self.settings.put("service", name, definition)

    def start(self, name: str) -> None:
        definition = self.get(name)
        if definition is None:
            raise PermanentError(f"there is no service {name}", subject=name)
        if self._lacks_program(definition.command):
            said = "The system cannot find the file specified. (error 2)"
            raise PermanentError(f"cannot start the service {name}: {said}", subject=name)
        self.settings.calls.made(f"start {name}", lambda: self._run(name.lower()))

    def stop(self, name: str) -> None:
        if self.running(name):
            self.settings.calls.made(f"stop {name}", lambda: self._end(name.lower()))

    def _lacks_program(self, command: str) -> bool:
        """Neither Windows' own programs nor the Python that is brought are kept on the simulated disk."""
        program = split_arguments(command)[0]
        is_own = program.lower().startswith(_OWN) or "\\" not in program
        return not is_own and self.disk.kind(program) is not PathKind.FILE

    def be_running(self, names: Iterable[str]) -> None:
        """Have these run, and no others."""
        for name in set(self.alive):
            self._end(name)
        for name in names:
            self._run(name)

    def boot(self) -> None:
        """Start what starts automatically, as after a boot."""
        self.be_running(
            name
            for (noun, name), definition in self.settings.seen.items()
            if noun == "service" and definition.start == "auto" and not self.ends_by_itself(name)
        )

    def _run(self, name: str) -> None:
        self.alive.add(name)
        definition = self.settings.seen.get(("service", name))
        for entry in self.disk.files(".exe"):
            if definition is not None and entry.path.lower() in definition.command.lower():
                self.disk.run_image(f"service {name}", entry.path)

    def _end(self, name: str) -> None:
        self.alive.discard(name)
        self.disk.end_images(f"service {name}")


@dataclass
class SimulatedBackground:
    """Work that a test lets happen when it likes."""

    started: list[tuple[tuple[str, ...], bytes]] = field(default_factory=list)
    left: list[tuple[tuple[str, ...], bytes]] = field(default_factory=list)
    asked_to_stop: Callable[[], bool] = lambda: False

    def start(self, argv: Sequence[str], payload: bytes) -> None:
        self.started.append((tuple(argv), payload))

    def is_started(self) -> bool:
        return bool(self.started)

    def serve(self, work: Callable[[bytes], None]) -> None:
        work(self.started.pop(0)[1])

    def leave(self, argv: Sequence[str], payload: bytes) -> None:
        self.left.append((tuple(argv), payload))

    def be_session(self, work: Callable[[Callable[[], bool]], int]) -> int:
        return work(self.asked_to_stop)

    def be_service(self, name: str, work: Callable[[Callable[[], bool]], int]) -> int:
        del name
        return work(self.asked_to_stop)
