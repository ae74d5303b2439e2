"""The plainly written cases of a JUnit document, taken out of it before the XML parser sees it.

Of thousands of cases nearly all are written alike: the same attributes in the same order, no escaped characters, nothing
inside but perhaps an empty <skipped>. One regular expression finds these many times faster than a parser calls back for
each, and gives them column by column; an import takes less than half the time for it. Everything else stays in the
document and is parsed. Where text may look like a case without being one (comments, CDATA, other encodings) nothing is
taken.
"""

import re
from collections.abc import Sequence

from transom.model.records import dataclass
from transom.verify.reading.limits import NAME_CHARACTERS

_CASE = b"<testcase"
_WANTED = (b"name", b"classname", b"status", b"result", b"time")
# How Ginkgo starts a name; without it the name is known over time, and the class does not matter.
LEAF = "[It] "
_LEAF = re.escape(LEAF.encode())
# Neither what is escaped nor what no XML can have.
_VALUE = rb'[^"<&\x00-\x1f]{0,%d}' % NAME_CHARACTERS
_SAMPLE = re.compile(rb'<testcase((?: [\w:.-]+="%b")+) ?/?>' % _VALUE)
_ATTRIBUTE = re.compile(rb' ([\w:.-]+)="')
_END = rb" ?(?:/>|>\s*(?:(<skipped(?: [^<>&\x00-\x1f]*)?(?:/>|>\s*</skipped>))\s*)?</testcase>)"
_DECLARATION = re.compile(rb"(?:\xef\xbb\xbf)?<\?xml\b([^>]*)\?>")
_ENCODING = re.compile(rb"""encoding\s*=\s*["']([^"']*)["']""")
_READABLE = (b"utf-8", b"utf8", b"us-ascii", b"ascii")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a document: its plain cases by attribute, and the rest of it for the parser.

    Where the cases are Ginkgo's, their names come without what it starts them with, and there is no class.
    """

    text: bytes
    rest: bytes
    columns: dict[str, Sequence[str]]
    skipped: Sequence[bytes | None]
    pattern: re.Pattern[bytes] | None = None

    @property
    def is_ginkgo(self) -> bool:
        """Whether its cases are Ginkgo's."""
        return self.pattern is not None and _LEAF in self.pattern.pattern

    def place(self, offset: int) -> int:
        """Where in the text something stands that is at an offset in the rest."""
        for found in self.pattern.finditer(self.text) if self.pattern else ():
            if found.start() > offset:
                break
            offset += found.end() - found.start()
        return offset


class PlainCases:
    """Takes plain cases out of a document that comes in chunks."""

    def __init__(self) -> None:
        self._held = b""
        self._pattern: re.Pattern[bytes] | None = None
        self._is_first = True
        self._is_off = False

    def take(self, chunk: bytes, *, last: bool) -> Piece:
        """The next piece of the document."""
        text = self._held + chunk
        self._held = b""
        if self._is_first:
            self._is_first = False
            self._is_off = not _is_utf8(text)
        if not self._is_off:
            self._is_off = _is_opaque(text)
        if self._is_off:
            return Piece(text, text, {}, ())
        if not last:
            text = self._hold(text)
        if self._pattern is None:
            self._pattern = _learned(text)
        return _split(text, self._pattern) if self._pattern else Piece(text, text, {}, ())

    def _hold(self, text: bytes) -> bytes:
        """Keep a case back that may go on in the next chunk; one that is longer than a chunk is not plain."""
        place = text.rfind(_CASE)
        if place <= 0:
            place = len(text) - text.endswith(b"<")
        self._held = text[place:]
        return text[:place]


def _is_utf8(text: bytes) -> bool:
    declaration = _DECLARATION.match(text)
    encoding = _ENCODING.search(declaration[1]) if declaration else None
    return b"\0" not in text[:4] and (encoding is None or encoding[1].lower() in _READABLE)


def _is_opaque(text: bytes) -> bool:
    """Whether a comment, CDATA or an instruction is in it; the second byte is rare and found sooner."""
    declaration = _DECLARATION.match(text)
    start = declaration.end() if declaration else 0
    return any(
        text.find(mark, start) >= 0 and text.find(b"<" + mark, start) >= 0 for mark in (b"!", b"?")
    )


def _learned(text: bytes) -> re.Pattern[bytes] | None:
    """The pattern of cases that are written like the first one."""
    sample = _SAMPLE.search(text)
    names = _ATTRIBUTE.findall(sample[1]) if sample else []
    if sample is None or b"name" not in names or len(set(names)) < len(names):
        return None
    is_leaf = re.search(rb' name="' + _LEAF, sample[1]) is not None
    attributes = (_attribute(name, is_leaf=is_leaf) for name in names)
    return re.compile(_CASE + b"".join(attributes) + _END)


def _attribute(name: bytes, *, is_leaf: bool) -> bytes:
    is_wanted = name in _WANTED and not (is_leaf and name == b"classname")
    value = b"(?P<%b>%b)" % (name, _VALUE) if is_wanted else _VALUE
    return b' %b="%b%b"' % (re.escape(name), _LEAF if is_leaf and name == b"name" else b"", value)


def _split(text: bytes, pattern: re.Pattern[bytes]) -> Piece:
    parts = pattern.split(text)
    step = pattern.groups + 1
    try:
        columns = {name: _decoded(parts[at::step]) for name, at in pattern.groupindex.items()}
    except UnicodeDecodeError:  # the parser says where
        return Piece(text, text, {}, ())
    return Piece(text, b"".join(parts[::step]), columns, parts[step - 1 :: step], pattern)


def _decoded(values: Sequence[bytes]) -> Sequence[str]:
    """All values at once: none of them has a line break."""
    return b"\n".join(values).decode().split("\n") if values else ()
