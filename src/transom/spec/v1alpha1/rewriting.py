"""A file of v1alpha1 written anew as v1alpha2: other documents in it stay as they are.

The comments before a document are kept. Those inside it have no place in another form, and are given
back, for a person to put where they belong.
"""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from transom.errors import InternalError
from transom.spec.ambiguous import needs_quotes
from transom.spec.fleet import read_fleets
from transom.spec.v1alpha1.convert import convert
from transom.spec.v1alpha1.document import API_VERSION, FLEET
from transom.spec.v1alpha1.written import as_written
from transom.yamlio.loader import load
from transom.yamlio.writing import write

if TYPE_CHECKING:
    from transom.yamlio.loader import Document

_COMMENT = re.compile(r"""(?:[^#'"]|'[^']*'|"(?:[^"\\]|\\.)*"|(?<=\S)#)*?(?:^|\s)(#.*)""")
_OLD_SCHEMA = re.compile(r"fleet-v1alpha1(?=\.schema\.json)")


class Comment(NamedTuple):
    """A comment that was not kept, and its line."""

    line: int
    text: str


class Rewritten(NamedTuple):
    """The new text, whether anything in it is new, and the comments it no longer has."""

    text: str
    changed: bool
    lost: tuple[Comment, ...]


def rewritten(source: bytes, *, name: str) -> Rewritten:
    """The text of a file with its v1alpha1 fleets as v1alpha2; raise with every mistake in them."""
    read_fleets(source, name=name)
    texts: list[str] = []
    lost: list[Comment] = []
    changed = False
    for document in load(source, name=name):
        text = document.source.decode()
        if not _is_old(document):
            texts.append(text.strip("\n") + "\n")
            continue
        changed = True
        new = convert(as_written(FLEET, document))
        head, comments = _comments(text, document.first_line)
        lost += comments
        texts.append(_OLD_SCHEMA.sub("fleet-v1alpha2", head) + _write(new.fleet))
        texts += [_write(new.client)] if new.client else []
    written = "---\n".join(texts)
    if read_fleets(written, name=name) != read_fleets(source, name=name):
        raise InternalError(f"{name} would not mean the same as v1alpha2")
    return Rewritten(written if changed else source.decode(), changed, tuple(lost))


def _is_old(document: "Document") -> bool:
    return isinstance(document.value, dict) and document.value.get("apiVersion") == API_VERSION


def _write(value: dict[str, object]) -> str:
    return write(value, style=_style)


def _style(text: str) -> str | None:
    if "\n" in text:
        return "|"
    return '"' if needs_quotes(text) else None


def _comments(text: str, first_line: int) -> tuple[str, list[Comment]]:
    """The comments before a document, and those inside it."""
    lines = text.splitlines()
    begins = next(
        (i for i, line in enumerate(lines) if line.strip() and not line.startswith("#")), 0
    )
    head = "".join(f"{line}\n" for line in lines[:begins] if line.strip())
    return head, list(_inside(lines, begins, first_line))


def _inside(lines: list[str], begins: int, first_line: int) -> Iterator[Comment]:
    for index, line in enumerate(lines[begins:], begins):
        if (found := _COMMENT.match(line)) is not None:
            yield Comment(first_line + index, found[1])
