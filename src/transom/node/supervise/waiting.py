"""Waiting for something under a deadline, and saying for what."""

from collections.abc import Callable
from typing import TypeVar

from transom.errors import TemporaryError
from transom.model.records import dataclass
from transom.node.host.nouns.system import Clock

T = TypeVar("T")
POLL_S = 1.0


class NotYet(Exception):  # noqa: N818 - no error: it says what is waited for
    """What is waited for is not there; the text says what, and why that may be."""


class Stopped(Exception):  # noqa: N818 - no error: somebody asked for it
    """Somebody asked this program to stop."""


@dataclass(frozen=True, slots=True)
class Waiting:
    """How to wait: on which clock, until who stops it, and who is told."""

    clock: Clock
    stopped: Callable[[], bool]
    tell: Callable[[str], None]

    def until(self, look: Callable[[], T], *, within_s: float) -> T:
        """Give what `look` gives once it raises no NotYet; tell each new reason once."""
        deadline = self.clock.monotonic() + within_s
        told = ""
        while True:
            try:
                return look()
            except NotYet as not_yet:
                reason = str(not_yet)
            if reason != told:
                self.tell(reason)
                told = reason
            if self.clock.monotonic() + POLL_S > deadline:
                raise TemporaryError(f"waited {within_s:.0f} s in vain: {reason}")
            self.pause(POLL_S)

    def pause(self, seconds: float) -> None:
        """Sleep, but not past a wish to stop."""
        end = self.clock.monotonic() + seconds
        while (left := end - self.clock.monotonic()) > 0:
            if self.stopped():
                raise Stopped
            self.clock.sleep(min(POLL_S, left))
