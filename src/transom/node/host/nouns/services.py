"""Windows services, and work that is one for a while."""

from collections.abc import Callable, Sequence
from typing import Protocol

from transom.node.host.values import (
    ServiceDefinition,
)


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
