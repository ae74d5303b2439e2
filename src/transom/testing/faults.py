"""Failures on demand for the simulated host: at the n-th call an error or a power cut.

Each call of a simulated noun passes through `Calls.made`.
"""

from collections.abc import Callable
from enum import Enum

from transom.errors import PermanentError


class PowerCut(BaseException):
    """The machine is off. No `except Exception` stops it, and whoever sees it lets it through."""


class Fault(Enum):
    """What goes wrong at the chosen call."""

    ERROR = "error"
    CUT_BEFORE = "cut-before"
    CUT_AFTER = "cut-after"


class Calls:
    """Counts the calls on a host and lets the chosen one fail.

    An error comes instead of the call; a power cut comes right before or right after it, and then
    every call meets it until `clear`, also those of a `finally`.
    """

    def __init__(self) -> None:
        self.count = 0
        self.writes: list[str] = []
        self._at = 0
        self._fault = Fault.ERROR
        self._off = False

    def inject(self, fault: Fault, *, at: int) -> None:
        """Let the n-th call from now on go wrong."""
        self.count, self._at, self._fault = 0, at, fault

    def clear(self) -> None:
        """Let nothing go wrong any more, and count from zero."""
        self.count, self._at, self._off = 0, 0, False
        self.writes.clear()

    def looked(self) -> None:
        """Count a call that changes nothing."""
        self._count(looking=True)

    def made(self, name: str, act: Callable[[], None]) -> None:
        """Count a call that changes something, and let it happen unless it is the chosen one."""
        hit = self._count(looking=False)
        self.writes.append(name)
        act()
        if hit and self._fault is Fault.CUT_AFTER:
            self._cut()

    def _count(self, *, looking: bool) -> bool:
        if self._off:
            raise PowerCut
        self.count += 1
        hit = self.count == self._at
        if hit and self._fault is Fault.ERROR:
            raise PermanentError("an injected failure", hint="This is a test.")
        if hit and (looking or self._fault is Fault.CUT_BEFORE):
            self._cut()
        return hit

    def _cut(self) -> None:
        self._off = True
        raise PowerCut
