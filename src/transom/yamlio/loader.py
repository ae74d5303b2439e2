"""The one reader of YAML and JSON that people write: Kubernetes' reading, with places.

Everything that takes a manifest or a fleet goes through `load`. A document means exactly what
kubectl would make of it (`sigs.k8s.io/yaml`: go-yaml v2, then JSON); a text on which parsers
differ is a mistake, never another reading. Opens no files and runs no tag.
"""

import codecs
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from transom.errors import InvalidDocument
from transom.model.problem import Mistake
from transom.yamlio.document import Document, Position, end_of
from transom.yamlio.glance import glance
from transom.yamlio.scalar import UnreadableScalar
from transom.yamlio.unusual import UnusualError

if TYPE_CHECKING:
    from yaml.nodes import Node

__all__ = ["Document", "Position", "load", "load_what_is_whole"]

# A whole cluster's objects fit; what is larger would cost memory out of proportion.
MAX_BYTES = 64 * 2**20

_SEPARATOR = re.compile(rb"^---([^\n]*)(?:\n|\Z)", re.MULTILINE)
_SEPARATOR_REST = re.compile(rb"\s*|\s+#.*")


def load(source: str | bytes, *, name: str) -> list[Document]:
    """Read every document of a stream.

    Raises:
        InvalidDocument: at least one document has a mistake; carries those of all documents.
    """
    stream = _Stream(name)
    stream.read(source)
    if stream.mistakes:
        raise InvalidDocument(stream.mistakes, subject=name)
    return stream.documents


def load_what_is_whole(
    source: str | bytes, *, name: str
) -> tuple[Sequence[Document], Sequence[Mistake]]:
    """Read the documents of a stream that can be read, and say what is wrong with the others."""
    stream = _Stream(name)
    stream.read(source)
    return stream.documents, stream.mistakes


class _Stream:
    """One source being read, with the documents and mistakes found so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.documents: list[Document] = []
        self.mistakes: list[Mistake] = []

    def read(self, source: str | bytes) -> None:
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
            self._try_to_parse(text, start, first_line)
        except RecursionError:
            self._note_depth(first_line)
        else:
            self._add(value, text, start, first_line)

    def _try_to_parse(self, text: bytes, start: int, first_line: int) -> None:
        try:
            self._parse_document(text, start, first_line)
        except RecursionError:
            self._note_depth(first_line)

    def _note_depth(self, line: int) -> None:
        self._note("the document is nested too deep", "Write it with fewer levels.", line, 1)

    def _parse_document(self, text: bytes, start: int, first_line: int) -> None:
        from transom.yamlio.parse import parse

        parsed = parse(text, name=self.name, first_line=first_line)
        self.mistakes += parsed.mistakes
        if not parsed.mistakes and parsed.root is not None:
            self._add(parsed.value, text, start, first_line, root=parsed.root)

    def _add(
        self, value: Any, text: bytes, start: int, first_line: int, *, root: "Node | None" = None
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


def _encoding_problem(error: UnicodeError) -> str:
    is_utf16 = getattr(error, "encoding", "").startswith("utf-16")
    return f"the text is not {'UTF-16' if is_utf16 else 'UTF-8'}"


def _place_of(error: UnicodeError) -> tuple[int, int]:
    if isinstance(error, UnicodeDecodeError):
        before = error.object[: error.start].decode(error.encoding, errors="replace")
    else:
        assert isinstance(error, UnicodeEncodeError)
        before = error.object[: error.start]
    return end_of(before.removeprefix("\ufeff"))
