"""The simulated machine itself, its signatures and its clock."""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field

from transom.node.host.values import (
    Signature,
    Volume,
)
from transom.testing.simulated_disk import SimulatedDisk


@dataclass
class SimulatedSystem:
    """The machine."""

    name: str = "win-01"
    windows: tuple[int, int] = (20348, 2700)
    admin: bool = True
    free: int = 100 << 30
    pending: bool = False
    time: float = 1_790_000_000.0
    member_of: str = ""
    python: str = r"C:\k\transom\python\python.exe"

    def computer_name(self) -> str:
        return self.name

    def build(self) -> tuple[int, int]:
        return self.windows

    def elevated(self) -> bool:
        return self.admin

    def interpreter(self) -> str:
        return self.python

    def free_bytes(self, path: str) -> int:
        del path
        return self.free

    def reboot_pending(self) -> bool:
        return self.pending

    def now(self) -> float:
        return self.time

    def edition(self) -> str:
        return "ServerDatacenter"

    def domain(self) -> str:
        return self.member_of

    def volumes(self) -> dict[str, Volume]:
        return {"C:\\": Volume(free=self.free, total=200 << 30)}


@dataclass
class SimulatedSignatures:
    """Signatures by the SHA-256 of what was signed."""

    disk: SimulatedDisk
    signed: dict[str, Signature] = field(default_factory=dict)

    def of(self, path: str) -> Signature | None:
        return self.signed.get(hashlib.sha256(self.disk.read(path)).hexdigest())


@dataclass
class SimulatedClock:
    """A clock that moves only when somebody waits; `meanwhile` is what a test lets happen then."""

    time: float = 1_790_000_000.0
    meanwhile: Callable[[], None] = lambda: None

    def now(self) -> float:
        return self.time

    def monotonic(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.time += seconds
        self.meanwhile()
