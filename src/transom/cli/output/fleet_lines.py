"""Progress of many hosts on standard error: a live block on a terminal, plain lines elsewhere.

It keeps what came of each host, so that an
interrupted command can still say so.
"""

import asyncio
import shutil
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from transom.cli.output import console
from transom.model.event import Event, Level, State

if TYPE_CHECKING:
    from transom.errors import TransomError
    from transom.fleet.addon_change import Change
    from transom.fleet.work.outcome import Applied

_MARKS = {
    State.CHANGED: ("changed", "green"),
    State.NOTED: ("warning", "yellow"),
    State.UNDONE: ("undone", "green"),
    State.RETRYING: ("again", "yellow"),
    State.FAILED: ("failed", "red"),
}
_BAR = 16
_REDRAW_S = 0.1
_TICK_S = 0.5
_OUTCOMES = {"failed": "red", "refused": "red", "not started": "yellow"}


class HostLine:
    """One host's place in the block."""

    def __init__(self, name: str, lines: "FleetLines", start: float) -> None:
        self.name = name
        self.start = start
        self.text = ""
        self.done, self.total = 0, 0
        self._lines = lines

    def stage(self, text: str) -> None:
        """Something begins."""
        self.text = text
        self._lines.say(self, f"{text}")

    def event(self, event: Event) -> None:
        """A step came further."""
        self.done, self.total = event.done, event.total
        if not event.step or event.state not in _MARKS:
            if event.step:
                self.text = event.message
            self._lines.draw()
            return
        word, style = _MARKS[event.state]
        is_forward = event.state in (State.CHANGED, State.NOTED)
        self.text = event.message if is_forward else f"{word}: {event.message}"
        mark = console.paint(f"{word:<8}", style, stream=sys.stderr)
        said = event.message if event.level is Level.INFO else f"{event.step}: {event.message}"
        self._lines.say(self, f"{mark} {said}", lasting=event.level is not Level.INFO)
        if event.hint:
            self._lines.say(self, f"{'next':<8} {event.hint}", lasting=True)


class FleetLines:
    """All hosts; `results` has those that have come to their end, in that order.

    `addons` is what was applied to the cluster for them, `addons_error` why that does not run.
    """

    def __init__(self, count: int, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._start = now()
        self._count = count
        self._live = sys.stderr.isatty()
        self._active: dict[str, HostLine] = {}
        self._drawn = 0
        self._last_draw = 0.0
        self.results: dict[str, Applied] = {}
        self.addons: tuple[Change, ...] = ()
        self.addons_error: TransomError | None = None

    @property
    def elapsed_s(self) -> float:
        """Seconds since the beginning."""
        return self._now() - self._start

    def host(self, name: str) -> HostLine:
        """A host whose work begins."""
        line = HostLine(name, self, self._now())
        self._active[name] = line
        return line

    def done(self, applied: "Applied") -> None:
        """A host's end."""
        self._active.pop(applied.host, None)
        self.results[applied.host] = applied
        said = console.paint(
            applied.outcome.value, _OUTCOMES.get(applied.outcome.value, "green"), stream=sys.stderr
        )
        why = f": {applied.error.message}" if applied.error is not None else ""
        self._print(f"{self._clock()} {applied.host:<15} {said}{why}")

    def say(self, line: HostLine, text: str, *, lasting: bool = False) -> None:
        """A host says something: a line of its own where there is no block to show it in."""
        if not self._live or lasting:
            self._print(f"{self._clock()} {line.name:<15} {text}")
        else:
            self.draw()

    def draw(self, *, final: bool = False) -> None:
        """Show the block anew, unless that was just done."""
        if not self._live or (not final and self._now() - self._last_draw < _REDRAW_S):
            return
        self._last_draw = self._now()
        self._clear()
        columns, rows = shutil.get_terminal_size()
        shown = [] if final else list(self._active.values())[: max(rows - 3, 1)]
        lines = [self._bar(line)[: columns - 1] for line in shown]
        if not final:
            lines.append(f"{len(self.results)} of {self._count} hosts, {self.elapsed_s:.0f} s")
        for line in lines:
            print(line, file=sys.stderr)
        self._drawn = len(lines)
        sys.stderr.flush()

    async def tick(self) -> None:
        """Let the seconds pass on a terminal, whatever the hosts say; to be cancelled."""
        while self._live:
            await asyncio.sleep(_TICK_S)
            if self._active:  # before that a person may be asked something
                self.draw()

    def end(self) -> None:
        """Leave the block behind."""
        self.draw(final=True)

    def _bar(self, line: HostLine) -> str:
        filled = _BAR * line.done // line.total if line.total else 0
        bar = "#" * filled + "." * (_BAR - filled)
        return f"{line.name:<15} [{bar}] {self._now() - line.start:5.0f} s  {line.text}"

    def _print(self, text: str) -> None:
        self._clear()
        print(text, file=sys.stderr, flush=True)
        self.draw()

    def _clear(self) -> None:
        if self._live and self._drawn:
            print(f"\033[{self._drawn}F\033[J", end="", file=sys.stderr)
            self._drawn = 0

    def _clock(self) -> str:
        return f"{self.elapsed_s:6.1f} s"
