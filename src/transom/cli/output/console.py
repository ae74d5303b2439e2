"""What the command line prints and how: errors, colour, tables.

Results go to standard output, everything else to standard error. Colour only on a terminal and
never with NO_COLOR. Knows no command.
"""

import json
import os
import sys
from collections.abc import Iterable, Sequence
from typing import IO, Any

from transom.errors import InvalidDocument, Refused, TransomError
from transom.model.problem import Mistake, Refusal
from transom.report.colour import styled


def use_color(stream: IO[str]) -> bool:
    """Say whether colour belongs on that stream."""
    environ = os.environ  # noqa: TID251 - a printed line cannot wait for an Environment
    return not environ.get("NO_COLOR") and environ.get("TERM") != "dumb" and stream.isatty()


def paint(text: str, style: str, *, stream: IO[str]) -> str:
    """Give the text in a style, or plain where colour does not belong."""
    return styled(text, style) if use_color(stream) else text


def print_json(document: Any) -> None:
    """One document, a value that `codec` can encode, as JSON on standard output."""
    from transom.model.codec import encode

    is_unicode = sys.stdout.encoding.lower().startswith("utf")
    print(json.dumps(encode(document), ensure_ascii=not is_unicode, indent=2))


def print_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Columns aligned by their widest cell."""
    table = [list(header), *map(list, rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    for number, row in enumerate(table):
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        line = "  ".join(cells).rstrip()
        print(paint(line, "bold", stream=sys.stdout) if number == 0 else line)


def note(text: str) -> None:
    """Something that was done by the way, on standard error."""
    print(text, file=sys.stderr, flush=True)


def print_error(error: TransomError) -> None:
    """An error as what, where, why and what next, on standard error."""
    stream = sys.stderr
    print(f"{paint('error:', 'red', stream=stream)} {error.message}", file=stream)
    if isinstance(error, InvalidDocument):
        for mistake in error.mistakes:
            _print_mistake(mistake, stream)
    elif isinstance(error, Refused):
        for refusal in error.refusals:
            _print_refusal(refusal, stream)
    elif error.subject:
        print(f"  where: {error.subject}", file=stream)
    cause = "" if error.__cause__ is None else str(error.__cause__)
    if cause and cause not in error.message:
        print(f"  why:   {cause}", file=stream)
    if error.hint:
        print(f"  next:  {error.hint}", file=stream)


def _print_mistake(mistake: Mistake, stream: IO[str]) -> None:
    place = ":".join(str(part) for part in (mistake.file, mistake.line, mistake.column) if part)
    print(f"  {paint(place, 'bold', stream=stream)} {mistake.path}".rstrip(), file=stream)
    print(f"    {mistake.message}", file=stream)
    if mistake.hint:
        print(f"    next: {mistake.hint}", file=stream)


def _print_refusal(refusal: Refusal, stream: IO[str]) -> None:
    print(f"  {paint(refusal.subject, 'bold', stream=stream)}: {refusal.found}", file=stream)
    print(f"    why:  {refusal.reason}", file=stream)
    print(f"    next: {refusal.fix}", file=stream)
    fact = paint(f"    fact: {refusal.id}, from {refusal.source}", "dim", stream=stream)
    print(fact, file=stream)
