"""Progress of one host on standard error: a live line on a terminal, one line per step elsewhere."""

import sys
import time
from collections.abc import Callable

from transom.cli import console
from transom.model.event import Event, Level, State

_MARKS = {
    State.CHANGED: ("changed", "green"),
    State.NOTED: ("warning", "yellow"),
    State.UNCHANGED: ("ok", "dim"),
    State.UNDONE: ("undone", "green"),
    State.RETRYING: ("again", "yellow"),
    State.FAILED: ("failed", "red"),
}


class StepLines:
    """Shows stages and steps with the seconds since the beginning."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._start = now()
        self._live = sys.stderr.isatty()

    @property
    def elapsed_s(self) -> float:
        """Seconds since the beginning."""
        return self._now() - self._start

    def stage(self, text: str) -> None:
        """Something begins."""
        if self._live:
            print(f"\r\033[K{self._clock()} {text} …", end="", file=sys.stderr, flush=True)
        else:
            print(f"{self._clock()} {text}", file=sys.stderr, flush=True)

    def event(self, event: Event) -> None:
        """A step came further; the run's own beginning and end are no step."""
        if event.step and event.state in _MARKS:
            word, style = _MARKS[event.state]
            mark = console.paint(f"{word:<8}", style, stream=sys.stderr)
            said = event.message if event.level is Level.INFO else f"{event.step}: {event.message}"
            clear = "\r\033[K" if self._live else ""
            print(f"{clear}{self._clock()} {mark} {said}", file=sys.stderr, flush=True)
            if event.hint:
                print(f"{self._clock()} {'next':<8} {event.hint}", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Leave the live line behind."""
        if self._live:
            print("\r\033[K", end="", file=sys.stderr, flush=True)

    def _clock(self) -> str:
        return f"{self.elapsed_s:6.1f} s"
