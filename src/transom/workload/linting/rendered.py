"""What helm or kustomize rendered, linted, with findings in the place they come from.

A finding is placed in the
template that helm names, on the line that stands there as well; kustomize names no file, so that
findings are in the kustomization.
"""

import os
import re
from bisect import bisect_right
from typing import NamedTuple

from transom.workload.engine import Linter
from transom.workload.linting.forms import CHART, kustomization_in
from transom.workload.linting.run import Job, Part, lint_documents
from transom.workload.linting.spool import Entry
from transom.yamlio.loader import load_what_is_whole

_SOURCE = re.compile(r"^# Source: [^/\s]+/(\S+)", re.MULTILINE)


class Rendered(NamedTuple):
    """What a folder renders."""

    folder: str
    data: bytes


def is_chart(folder: str) -> bool:
    """Whether helm can render a folder."""
    return os.path.isfile(os.path.join(folder, CHART))  # noqa: PTH113, PTH118 - as in sources


def lint_rendered(rendered: Rendered, job: Job, linter: Linter) -> Part:
    """Lint what was rendered."""
    part = Part()
    part.files = 1
    documents, mistakes = load_what_is_whole(rendered.data, name=rendered.folder)
    part.unreadable += mistakes
    job = job.of_file(rendered.folder)._replace(with_spans=False)
    lint_documents(documents, job, linter, part, data=rendered.data)
    places = _Places(rendered)
    part.entries = [places.placed(entry) for entry in part.entries]
    part.rendered |= {entry.finding.file for entry in part.entries}
    return part


class _Places:
    """Where the lines of a rendered stream come from."""

    def __init__(self, rendered: Rendered) -> None:
        text = rendered.data.decode(errors="replace")
        self._folder = rendered.folder
        self._lines = text.split("\n")
        found = list(_SOURCE.finditer(text))
        self._starts = [text.count("\n", 0, match.start()) + 1 for match in found]
        self._files = [match[1] for match in found]
        self._default = kustomization_in(rendered.folder) or rendered.folder
        self._read: dict[str, list[str]] = {}

    def placed(self, entry: Entry) -> Entry:
        """The entry in the file it comes from, without a line where that is not certain."""
        finding = entry.finding
        number = bisect_right(self._starts, finding.line) - 1
        if number < 0:
            return entry._replace(finding=finding._replace(file=self._default, line=0, column=0))
        file = os.path.join(self._folder, *self._files[number].split("/"))  # noqa: PTH118 - same
        line, column = self._place_in(file, self._lines[finding.line - 1], finding.column)
        return entry._replace(finding=finding._replace(file=file, line=line, column=column))

    def _place_in(self, file: str, wanted: str, column: int) -> tuple[int, int]:
        """Where a template says the same but for the indent; nowhere if in no or several lines."""
        if file not in self._read:
            self._read[file] = _lines_of(file)
        found = [
            (number, line)
            for number, line in enumerate(self._read[file], start=1)
            if line.strip() == wanted.strip()
        ]
        if len(found) != 1:
            return 0, 0
        ((number, line),) = found
        return number, column + _indent(line) - _indent(wanted)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _lines_of(file: str) -> list[str]:
    try:
        with open(file, encoding="utf-8", errors="replace") as stream:  # noqa: PTH123 - same
            return list(stream)
    except OSError:
        return []  # in an archive below charts/
