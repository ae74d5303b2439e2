"""Services of the simulated host, and work apart from a session."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from transom.errors import PermanentError
from transom.node.host.simulated_settings import Settings
from transom.node.host.values import (
    ServiceDefinition,
)


@dataclass
class SimulatedServices:
    """Services; after a boot those run that start automatically and do not end by themselves."""

    settings: Settings
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
        if self.get(name) is None:
            raise PermanentError(f"there is no service {name}", subject=name)
        self.settings.calls.made(f"start {name}", lambda: self.alive.add(name.lower()))

    def stop(self, name: str) -> None:
        if self.running(name):
            self.settings.calls.made(f"stop {name}", lambda: self.alive.discard(name.lower()))

    def runs_from(self, path: str) -> bool:
        """Whether a service runs the program at that path."""
        if not path.lower().endswith(".exe"):
            return False
        commands = (self.settings.seen.get(("service", name)) for name in self.alive)
        return any(path.lower() in item.command.lower() for item in commands if item is not None)

    def boot(self) -> None:
        """Start what starts automatically, as after a boot."""
        self.alive = {
            name
            for (noun, name), definition in self.settings.seen.items()
            if noun == "service" and definition.start == "auto" and not self.ends_by_itself(name)
        }


@dataclass
class SimulatedBackground:
    """Work that a test lets happen when it likes."""

    started: list[tuple[tuple[str, ...], bytes]] = field(default_factory=list)
    left: list[tuple[tuple[str, ...], bytes]] = field(default_factory=list)
    asked_to_stop: Callable[[], bool] = lambda: False

    def start(self, argv: Sequence[str], payload: Callable[[], bytes]) -> None:
        self.started.append((tuple(argv), payload()))

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
