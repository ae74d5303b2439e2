"""The simulated host as its service manager starts a kubelet on it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from transom.node.host.values import PathKind
from transom.testing.simulated_host import SimulatedHost


@dataclass
class SimulatedStarter:
    """Looks at the host's files and adapters; `started` has the command lines of the kubelets."""

    host: SimulatedHost
    started: list[tuple[str, ...]] = field(default_factory=list)
    code: int = 0

    def beginning(self, path: str, count: int) -> bytes | None:
        if self.host.files.kind(path) is not PathKind.FILE:
            return None
        return self.host.files.read(path)[:count]

    def has_address(self, address: str) -> bool:
        return any(address in adapter.addresses for adapter in self.host.network.adapters())

    def routed_address(self) -> str:
        return self.host.network.routed_address()

    def hand_over(self, argv: Sequence[str]) -> int:
        self.started.append(tuple(argv))
        return self.code

    def monotonic(self) -> float:
        return self.host.clock.monotonic()

    def sleep(self, seconds: float) -> None:
        self.host.clock.sleep(seconds)
