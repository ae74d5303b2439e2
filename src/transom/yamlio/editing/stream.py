"""A whole file being edited: its documents one by one, everything between them untouched.

Keeps the encoding and the byte order mark.
"""

import codecs
from collections.abc import Sequence

from transom.yamlio.document import Document
from transom.yamlio.loader import load

_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


class Stream:
    """The bytes of a file and the documents in them."""

    def __init__(self, data: bytes, *, name: str) -> None:
        self.documents: Sequence[Document] = load(data, name=name)
        self._mark = next(
            (mark for mark in (*_UTF16, codecs.BOM_UTF8) if data.startswith(mark)), b""
        )
        self._encoding = _UTF16.get(self._mark, "utf-8")
        body = data[len(self._mark) :]
        # Documents count the bytes of UTF-8.
        self._body = body if self._encoding == "utf-8" else body.decode(self._encoding).encode()

    def with_documents(self, documents: Sequence[Document]) -> bytes:
        """The file with these documents in the places of its own."""
        pieces: list[bytes] = []
        position = 0
        for before, after in zip(self.documents, documents, strict=True):
            pieces += (self._body[position : before.start], after.source)
            position = before.start + len(before.source)
        body = b"".join((*pieces, self._body[position:]))
        if self._encoding != "utf-8":
            body = body.decode().encode(self._encoding)
        return self._mark + body
