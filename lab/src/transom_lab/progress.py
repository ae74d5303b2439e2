"""Live progress of long work: what is being done, how far, how long so far. Writes to stderr only.

On a terminal one line is rewritten every second; elsewhere (CI logs) a line marks the end of each
stage, and a long stage says every minute that it is still alive.
"""

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_TERMINAL_TICK_S = 1.0
_LOG_TICK_S = 60.0
_QUIET_BELOW_S = 0.5


class Progress:
    """Stages, one at a time, on a text stream."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr
        self._live = self._stream.isatty()
        self._lock = threading.Lock()

    def note(self, text: str) -> None:
        """Say one thing that has no duration."""
        with self._lock:
            self._write(f"{text}\n")

    @contextmanager
    def stage(self, what: str) -> Iterator[None]:
        """Show `what` while the block runs, and how long it took when it is over."""
        began = time.monotonic()
        over = threading.Event()
        ticker = threading.Thread(target=self._tick, args=(what, began, over), daemon=True)
        ticker.start()
        outcome = "failed after "
        try:
            yield
            outcome = ""
        finally:
            over.set()
            ticker.join()
            took = time.monotonic() - began
            if outcome or took >= _QUIET_BELOW_S:
                self.note(f"{what}: {outcome}{took:.1f} s")

    def _tick(self, what: str, began: float, over: threading.Event) -> None:
        pause = _TERMINAL_TICK_S if self._live else _LOG_TICK_S
        while not over.wait(pause):
            text = f"{what} ... {time.monotonic() - began:.0f} s"
            with self._lock:
                self._write(text if self._live else f"{text}\n")

    def _write(self, text: str) -> None:
        self._stream.write(f"\r\033[K{text}" if self._live else text)
        self._stream.flush()
