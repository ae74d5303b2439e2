"""The one reader of YAML and JSON that people write: Kubernetes' reading, with places.

Everything that takes a manifest or a fleet goes through `load`. A document means exactly what
kubectl would make of it (`sigs.k8s.io/yaml`: go-yaml v2, then JSON); a text on which parsers
differ is a mistake, never another reading. Opens no files and runs no tag.
"""

import codecs
import re
from collections.abc import Iterator
from typing import Any

from yaml.error import MarkedYAMLError, YAMLError
from yaml.nodes import Node
from yaml.reader import ReaderError

from transom.errors import InvalidDocument
from transom.model.problem import Mistake
from transom.spec.construction import UnusualError, construct
from transom.spec.dispute import refuse_disputed
from transom.spec.document import Document, Position
from transom.spec.glance import glance
from transom.spec.node import RefusedNode, compose
from transom.spec.scalar import UnreadableScalar

__all__ = ["Document", "Position", "load"]

# A whole cluster's objects fit; what is larger would cost memory out of proportion.
MAX_BYTES = 64 * 2**20

_SEPARATOR = re.compile(rb"^---([^\n]*)(?:\n|\Z)", re.MULTILINE)
_SEPARATOR_REST = re.compile(rb"\s*|\s+#.*")


def load(source: str | bytes, *, name: str) -> list[Document]:
    """Read every document of a stream.

    Raises:
        InvalidDocument: at least one document has a mistake; carries those of all documents.
    """
    return _Stream(name).read(source)


class _Stream:
    """One source being read, with the documents and mistakes found so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.documents: list[Document] = []
        self.mistakes: list[Mistake] = []

    def read(self, source: str | bytes) -> list[Document]:
        try:
            data = _encode(source)
        except UnicodeError as error:
            self._note(_encoding_problem(error), "Save the file as UTF-8.", *_place_of(error))
        else:
            if len(data) > MAX_BYTES:
                self._note(f"more than {MAX_BYTES >> 20} MiB of text", "Split the file.", 1, 1)
            else:
                for start, end, first_line in self._split(data):
                    self._read_document(data[start:end], start, first_line)
        if self.mistakes:
            raise InvalidDocument(self.mistakes, subject=self.name)
        return self.documents

    def _split(self, data: bytes) -> Iterator[tuple[int, int, int]]:
        """Cut the stream at its separators as kubectl does, before any parsing.

        Gives the start, the end and the first line of each document's text.
        """
        start = 0
        line = 1
        for separator in _SEPARATOR.finditer(data):
            if separator.start() > start:
                yield start, separator.start(), line
            line += data.count(b"\n", start, separator.start())
            if not _SEPARATOR_REST.fullmatch(separator[1]):
                self._note(
                    "text follows `---` on its line, and kubectl refuses that",
                    "Start the document on the next line.",
                    line,
                    4,
                )
            line += 1
            start = separator.end()
        if start < len(data):
            yield start, len(data), line

    def _read_document(self, text: bytes, start: int, first_line: int) -> None:
        if text.startswith(codecs.BOM_UTF8):
            text = text.removeprefix(codecs.BOM_UTF8)
            start += len(codecs.BOM_UTF8)
        try:
            value = glance(text.decode())
        except (UnusualError, UnreadableScalar):
            self._parse_document(text, start, first_line)
        else:
            self._add(value, text, start, first_line)

    def _parse_document(self, text: bytes, start: int, first_line: int) -> None:
        if codecs.BOM_UTF8 in text:
            line, column = _end_of(text[: text.index(codecs.BOM_UTF8)].decode())
            self._note(
                "a byte order mark stands inside the text",
                "Remove the invisible character U+FEFF.",
                first_line + line - 1,
                column,
            )
            return
        try:
            root = compose(text)
            if root is not None:
                refuse_disputed(text, root)
        except (RefusedNode, YAMLError) as error:
            self._read_json(text, start, first_line, refusal=error)
            return
        if root is None:
            return
        value, mistakes = construct(root, name=self.name, first_line=first_line)
        self.mistakes += mistakes
        if not mistakes:
            self._add(value, text, start, first_line, root=root)

    def _add(
        self, value: Any, text: bytes, start: int, first_line: int, *, root: Node | None = None
    ) -> None:
        document = Document(
            value,
            name=self.name,
            index=len(self.documents),
            text=text,
            first_line=first_line,
            start=start,
            root=root,
        )
        self.documents.append(document)

    def _read_json(
        self, text: bytes, start: int, first_line: int, *, refusal: RefusedNode | YAMLError
    ) -> None:
        from transom.spec.jsontext import read_json

        try:
            value, root = read_json(text)
        except UnusualError:
            if isinstance(refusal, RefusedNode):
                line, column = first_line + refusal.mark.line, refusal.mark.column + 1
                self._note(refusal.message, refusal.hint, line, column)
            else:
                self._note_syntax(refusal, text, first_line)
        else:
            self._add(value, text, start, first_line, root=root)

    def _note_syntax(self, error: YAMLError, text: bytes, first_line: int) -> None:
        if isinstance(error, ReaderError):
            line, column = _end_of(text[: error.position].decode(errors="replace"))
            message = f"the character {error.character:#x} is not allowed in YAML"
            hint = "Remove it, or write it as an escape in double quotes."
        else:
            assert isinstance(error, MarkedYAMLError)
            mark = error.problem_mark or error.context_mark
            line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
            message = error.problem or "the text is not YAML"
            if error.context:
                message = f"{error.context}: {message}"
            hint = "Compare the indentation and quotes here with the lines before."
            if "<document start>" in message:
                message, hint = _explain_missing_start(text)
        self._note(message, hint, first_line + line - 1, column)

    def _note(self, message: str, hint: str, line: int, column: int) -> None:
        self.mistakes.append(Mistake(message, line=line, column=column, hint=hint, file=self.name))


def _encode(source: str | bytes) -> bytes:
    """Give the text as UTF-8 without a byte order mark."""
    if isinstance(source, bytes):
        if source.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            source = source.decode("utf-16")
        else:
            source.decode()
            return source.removeprefix(codecs.BOM_UTF8)
    return source.removeprefix("\ufeff").encode()


def _end_of(text: str) -> tuple[int, int]:
    """Give the line and column that follow a text."""
    return text.count("\n") + 1, len(text) - text.rfind("\n")


def _explain_missing_start(text: bytes) -> tuple[str, str]:
    if text.lstrip().startswith(b"%"):
        return "kubectl does not take directives such as %YAML", "Remove the directive."
    return (
        "text follows the end of the document, and Kubernetes would drop it",
        "Correct the indentation, or separate documents by a line with `---` alone.",
    )


def _encoding_problem(error: UnicodeError) -> str:
    is_utf16 = getattr(error, "encoding", "").startswith("utf-16")
    return f"the text is not {'UTF-16' if is_utf16 else 'UTF-8'}"


def _place_of(error: UnicodeError) -> tuple[int, int]:
    if isinstance(error, UnicodeDecodeError):
        before = error.object[: error.start].decode(error.encoding, errors="replace")
    else:
        assert isinstance(error, UnicodeEncodeError)
        before = error.object[: error.start]
    return _end_of(before.removeprefix("\ufeff"))
