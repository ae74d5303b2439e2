"""The little of a host that starting the kubelet takes.

Apart from `windows`, which has everything: a service has half a minute to report, a busy boot takes most
of it, and so whoever starts the kubelet imports little.
"""

import time
from collections.abc import Sequence
from typing import Protocol

from transom.errors import PermanentError
from transom.node.host import processes, sockets


class Starter(Protocol):
    """A host that a kubelet is started on."""

    def beginning(self, path: str, count: int) -> bytes | None:
        """Give so many bytes of a file at most, None where there is none."""

    def has_address(self, address: str) -> bool:
        """Say whether an address is one of the host's own."""

    def routed_address(self) -> str:
        """Give the address that the default route leaves from, empty where there is none."""

    def hand_over(self, argv: Sequence[str]) -> int:
        """Run a program in place of this one, with its streams and its end; give its exit code."""

    def monotonic(self) -> float:
        """Give seconds that never go back."""

    def sleep(self, seconds: float) -> None:
        """Wait."""


class ThisHost:
    """The machine this program runs on."""

    def beginning(self, path: str, count: int) -> bytes | None:
        try:
            with open(path, "rb") as file:  # noqa: PTH123 - pathlib takes long to import
                return file.read(count)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise PermanentError(f"cannot read {path}: {error.strerror}", subject=path) from error

    def has_address(self, address: str) -> bool:
        return sockets.has_address(address)

    def routed_address(self) -> str:
        return sockets.routed_address()

    def hand_over(self, argv: Sequence[str]) -> int:
        return processes.hand_over(argv)

    def monotonic(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)
