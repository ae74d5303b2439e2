"""The machine itself, what a diagnosis asks of it, and time."""

from collections.abc import Mapping
from typing import Protocol

from transom.node.host.values import (
    HnsState,
    ServiceStatus,
    Signature,
    Volume,
)


class ReadSystem(Protocol):
    """The machine itself."""

    def computer_name(self) -> str:
        """Give the host's name."""

    def build(self) -> tuple[int, int]:
        """Give the Windows build and its revision."""

    def elevated(self) -> bool:
        """Say whether this process has an administrator's full rights."""

    def interpreter(self) -> str:
        """Give the path of the Python that runs this program."""

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


class Signatures(Protocol):
    """Authenticode signatures, as Windows judges them."""

    def of(self, path: str) -> Signature | None:
        """Give whose signature a file carries, None where it carries none."""


class Clock(Protocol):
    """Time and waiting."""

    def now(self) -> float:
        """Give seconds since the epoch."""

    def monotonic(self) -> float:
        """Give seconds that never go back."""

    def sleep(self, seconds: float) -> None:
        """Wait."""
