"""The progress of downloads on standard error."""

import sys
from typing import TYPE_CHECKING

from transom.report import lock as lock_report

if TYPE_CHECKING:
    from transom.recipe.lock import PinnableArtifact


class ProgressLine:
    """One file's progress on standard error: live on a terminal, else where it begins."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._live = sys.stderr.isatty()
        self._shown = ""

    def __call__(self, done: int, total: int | None) -> None:
        """Say how far it is."""
        of = f" of {lock_report.size(total)}" if total else ""
        line = f"{self._name}: {lock_report.size(done)}{of}"
        if self._live and line != self._shown:
            end = "\n" if done == total else ""
            print(f"\r\033[K{line}", end=end, file=sys.stderr, flush=True)
        elif not self._shown:
            print(f"{self._name}: downloading{of.replace(' of', '')}", file=sys.stderr)
        self._shown = line


def progress_of(pinnable: "PinnableArtifact") -> ProgressLine:
    """The line of one artifact."""
    return ProgressLine(f"{pinnable.key.id} {pinnable.key.version}")
