"""The careful reading of one document, by libyaml, for all that a glance does not know.

Apart from it, so that streams of plain manifests need no parser at all.
"""

import codecs
from typing import Any, NamedTuple

from yaml.error import MarkedYAMLError, YAMLError
from yaml.nodes import Node
from yaml.reader import ReaderError

from transom.model.problem import Mistake
from transom.yamlio.construction import construct
from transom.yamlio.dispute import refuse_disputed
from transom.yamlio.document import end_of
from transom.yamlio.node import RefusedNode, compose
from transom.yamlio.unusual import UnusualError


class Parsed(NamedTuple):
    """A document's value and tree, or its mistakes; neither where it has only comments."""

    value: Any = None
    root: Node | None = None
    mistakes: tuple[Mistake, ...] = ()


class _Place(NamedTuple):
    message: str
    hint: str
    line: int
    column: int


def parse(text: bytes, *, name: str, first_line: int) -> Parsed:
    """Read a document, or find every mistake in it."""
    if codecs.BOM_UTF8 in text:
        line, column = end_of(text[: text.index(codecs.BOM_UTF8)].decode())
        place = _Place(
            "a byte order mark stands inside the text",
            "Remove the invisible character U+FEFF.",
            line,
            column,
        )
        return _refused(place, name, first_line)
    try:
        root = compose(text)
        if root is not None:
            refuse_disputed(text, root)
    except (RefusedNode, YAMLError) as error:
        return _read_json(text, name=name, first_line=first_line, refusal=error)
    if root is None:
        return Parsed()
    value, mistakes = construct(root, name=name, first_line=first_line)
    return Parsed(value, root, tuple(mistakes))


def _read_json(
    text: bytes, *, name: str, first_line: int, refusal: RefusedNode | YAMLError
) -> Parsed:
    from transom.yamlio.jsontext import read_json

    try:
        value, root = read_json(text)
    except UnusualError:
        if isinstance(refusal, RefusedNode):
            mark = refusal.mark
            place = _Place(refusal.message, refusal.hint, mark.line + 1, mark.column + 1)
        else:
            place = _syntax(refusal, text)
        return _refused(place, name, first_line)
    return Parsed(value, root)


def _syntax(error: YAMLError, text: bytes) -> _Place:
    if isinstance(error, ReaderError):
        line, column = end_of(text[: error.position].decode(errors="replace"))
        message = f"the character {error.character:#x} is not allowed in YAML"
        return _Place(
            message, "Remove it, or write it as an escape in double quotes.", line, column
        )
    assert isinstance(error, MarkedYAMLError)
    mark = error.problem_mark or error.context_mark
    line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
    message = error.problem or "the text is not YAML"
    if error.context:
        message = f"{error.context}: {message}"
    hint = "Compare the indentation and quotes here with the lines before."
    if "<document start>" in message:
        message, hint = _explain_missing_start(text)
    return _Place(message, hint, line, column)


def _explain_missing_start(text: bytes) -> tuple[str, str]:
    if text.lstrip().startswith(b"%"):
        return "kubectl does not take directives such as %YAML", "Remove the directive."
    return (
        "text follows the end of the document, and Kubernetes would drop it",
        "Correct the indentation, or separate documents by a line with `---` alone.",
    )


def _refused(place: _Place, name: str, first_line: int) -> Parsed:
    mistake = Mistake(
        place.message,
        line=first_line + place.line - 1,
        column=place.column,
        hint=place.hint,
        file=name,
    )
    return Parsed(mistakes=(mistake,))
