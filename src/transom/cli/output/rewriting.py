"""Files rewritten by a command: read, changed, shown as a diff or put in the place of the old.

A file is written beside and renamed, so that none is
ever half written; standard input goes to standard output.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import unified_diff
from pathlib import Path
from typing import NamedTuple

from transom.errors import InvalidDocument, UsageError
from transom.model.problem import Mistake
from transom.workload.linting import sources
from transom.workload.linting.forms import Form, chart_of, form_of, form_of_broken, of_template

# Gives the new bytes of a file from its name and bytes.
Rewrite = Callable[[str, bytes], bytes]


class Rewritten(NamedTuple):
    """How many files changed, or would; what could not be read; and what is no manifest."""

    changed: int
    unreadable: list[Mistake]
    templates: Counter[str]
    foreign: int


def rewrite(
    names: Iterable[str], change: Rewrite, *, diff: bool, named: Sequence[str] = ()
) -> Rewritten:
    """Rewrite the files; templates, values and foreign YAML are counted and left alone."""
    changed, foreign, templates = 0, 0, Counter[str]()
    unreadable: list[Mistake] = []
    for name in names:
        try:
            before = _read(name)
            after = _changed(name, before, change, is_named=name in named)
        except InvalidDocument as error:
            unreadable += error.mistakes
        except OSError as error:
            reason = error.strerror or str(error)
            hint = "Check the name and that you may read it."
            unreadable.append(Mistake(f"cannot read: {reason}", hint=hint, file=name))
        else:
            if after is Form.TEMPLATE:
                templates[chart_of(name)] += 1
            elif isinstance(after, Form):
                foreign += 1
            else:
                changed += before != after
                _write(name, before, after, diff=diff)
    return Rewritten(changed, unreadable, templates, foreign)


def _changed(name: str, data: bytes, change: Rewrite, *, is_named: bool) -> bytes | Form:
    """The new text of a file, or what it is instead of a manifest."""
    form = form_of(name, data)
    mistakes: Sequence[Mistake] = ()
    if form is None:
        try:
            return change(name, data)
        except InvalidDocument as error:
            form, mistakes = form_of_broken(data), error.mistakes
            if form is None or (is_named and form is Form.FOREIGN):
                raise
    if is_named and form is Form.TEMPLATE:
        raise InvalidDocument([of_template(name, mistakes)], subject=name)
    return form


def _write(name: str, before: bytes, after: bytes, *, diff: bool) -> None:
    if diff:
        sys.stdout.writelines(_diff(name, before, after))
    elif name == sources.STDIN:
        sys.stdout.buffer.write(after)
    elif before != after:
        replace_file(Path(name), after)


def _read(name: str) -> bytes:
    return sys.stdin.buffer.read() if name == sources.STDIN else Path(name).read_bytes()


def _diff(name: str, before: bytes, after: bytes) -> Iterator[str]:
    old, new = (_lines(data) for data in (before, after))
    for line in unified_diff(old, new, fromfile=name, tofile=name):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(data: bytes) -> list[str]:
    text = data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8")
    # Not splitlines: other characters that end lines in Python do not in files.
    return [f"{line}\n" for line in text.split("\n")[:-1]] + [
        line for line in text.split("\n")[-1:] if line
    ]


def replace_file(path: Path, data: bytes) -> None:
    """Put new content in a file's place, whole or not at all."""
    # Behind a link the file itself is replaced, not the link.
    target = path.resolve()
    beside = target.with_name(f".{target.name}.transom")
    try:
        beside.write_bytes(data)
        beside.chmod(target.stat().st_mode)
        beside.replace(target)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise UsageError(
            f"cannot write {path}", subject=str(path), hint="make the file and folder writable"
        ) from error
