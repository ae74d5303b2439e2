"""Outside programs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from transom.node.host.values import (
    Completed,
)


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
