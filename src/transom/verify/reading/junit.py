"""JUnit XML, in every dialect met so far, read as a stream: memory does not grow with the file.

The dialects differ in whether suites nest, where a retry is written, and how a skip is told:

- Ginkgo and kubetest: `<skipped>`, a `status` attribute, names that start with `[It] `.
- Maven Surefire: `<flakyFailure>` and `<flakyError>` of a test that passed in the end, `<rerunFailure>` beside `<failure>`.
- GoogleTest: `status="notrun"`, `result="suppressed"`.
- pytest, gotestsum and others: the class in `classname`; a retry as a second `<testcase>`.
"""

from array import array
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import Any
from xml.parsers import expat

from transom.errors import UsageError
from transom.verify.reading.limits import (
    DEPTH,
    FILE_BYTES,
    MESSAGE_CHARACTERS,
    NAME_CHARACTERS,
    TAG_BYTES,
    TESTS,
    WORDS,
    Readable,
    bounded,
    refuse,
)
from transom.verify.reading.plain_cases import LEAF, Piece, PlainCases
from transom.verify.results import Case, Outcome, Results

_CHUNK = 1 << 18
_LONGEST_S = 4_000_000
_PIECES = 50
_PROPERTIES = 1_000
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
# XML has no way to write these; test programs that print colour do so all the same.
_FORBIDDEN = bytes(code for code in range(32) if code not in (9, 10, 13))
_PRINTABLE = bytes.maketrans(_FORBIDDEN, b"?" * len(_FORBIDDEN))

_TOLD = {
    "failure": Outcome.FAILED,
    "error": Outcome.FAILED,
    "skipped": Outcome.SKIPPED,
    "flakyFailure": Outcome.FLAKY,
    "flakyError": Outcome.FLAKY,
}
_STATUS = {
    "failed": Outcome.FAILED,
    "panicked": Outcome.FAILED,
    "timedout": Outcome.FAILED,
    "interrupted": Outcome.FAILED,
    "aborted": Outcome.FAILED,
    "skipped": Outcome.SKIPPED,
    "pending": Outcome.SKIPPED,
    "notrun": Outcome.SKIPPED,
    "disabled": Outcome.SKIPPED,
}


class JUnit:
    """The results of one document, with the properties and the time stamp that its suites carry."""

    def __init__(self, file: str) -> None:
        self.results = Results()
        self.properties: dict[str, str] = {}
        self.timestamp = ""
        self._file = file
        self._plain = PlainCases()
        self._is_wide = False
        self._case: dict[str, str] | None = None
        self._outcome: Outcome | None = None
        self._said: list[str] = []
        self._depth = 0
        self._fed = 0
        self._lines, self._column = 1, 1
        self._words: dict[str, str] = {}
        self._parser = expat.ParserCreate(intern=self._words)
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._root
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._refuse_declarations

    def feed(self, chunk: bytes, *, last: bool) -> None:
        """Read on."""
        self._is_wide = self._is_wide or (not self._fed and chunk.startswith(_UTF16))
        piece = self._plain.take(chunk, last=last)
        try:
            self._parser.Parse(
                piece.rest if self._is_wide else piece.rest.translate(_PRINTABLE), last
            )
            self._take(piece)
        except expat.ExpatError as error:
            place = piece.place(max(0, self._parser.ErrorByteIndex - self._fed))
            raise self._malformed(piece, place, expat.errors.messages[error.code]) from error
        self._fed += len(piece.rest)
        self._lines += piece.text.count(b"\n")
        self._column = self._column_at(piece, len(piece.text))
        self._check_bounds()

    def _malformed(self, piece: Piece, place: int, reason: str) -> UsageError:
        line = self._lines + piece.text.count(b"\n", 0, place)
        return refuse(
            f"{self._file}:{line}:{self._column_at(piece, place)}",
            f"it is not well-formed XML: {reason}",
            hint="a run that was cut off leaves half a file: import it without this file, or run it again",
        )

    def _column_at(self, piece: Piece, place: int) -> int:
        line = piece.text.rfind(b"\n", 0, place)
        return self._column + place if line < 0 else place - line

    def _check_bounds(self) -> None:
        """Refuse what only fills memory: the parser keeps open elements, a tag that has not ended, and every name."""
        if self._fed - self._parser.CurrentByteIndex > TAG_BYTES:
            raise refuse(self._file, f"a tag in it is longer than {TAG_BYTES >> 20} MiB")
        if self._depth > DEPTH:
            raise refuse(self._file, f"its elements nest more than {DEPTH} deep")
        if len(self._words) > WORDS:
            raise refuse(self._file, f"it has more than {WORDS} names of elements and attributes")
        if len(self.results) > TESTS:
            raise refuse(self._file, f"it has more than {TESTS} tests")

    def _refuse_declarations(self, *_: Any) -> None:
        raise refuse(
            self._file,
            "it has a document type declaration, which results never need and attacks do",
            hint="remove the line that starts with <!DOCTYPE",
        )

    def _root(self, tag: str, attributes: dict[str, str]) -> None:
        """The first element, which says whether it is JUnit at all."""
        if tag not in ("testsuites", "testsuite"):
            raise refuse(
                self._file,
                f"it is XML, but no JUnit: it starts with <{bounded(tag, 40)}>",
                hint="JUnit starts with <testsuites> or <testsuite>",
            )
        self._parser.StartElementHandler = self._start
        self._start(tag, attributes)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._depth += 1
        if tag == "testcase":
            self._case, self._outcome, self._said = attributes, None, []
        elif self._case is not None:
            if tag in _TOLD:
                self._inside(tag, attributes)
        elif tag == "property":
            if len(self.properties) < _PROPERTIES:
                name = bounded(attributes.get("name", ""), NAME_CHARACTERS)
                self.properties[name] = bounded(attributes.get("value", ""), NAME_CHARACTERS)
        elif not self.timestamp:
            self.timestamp = bounded(attributes.get("timestamp", ""), NAME_CHARACTERS)

    def _inside(self, tag: str, attributes: dict[str, str]) -> None:
        """What a case says of its end."""
        self._outcome = _TOLD[tag]
        said = self._said
        said.append(f"\n{bounded(attributes.get('message', ''), MESSAGE_CHARACTERS)}\n")

        def hear(text: str) -> None:
            """Keep text while there is little: a failure may carry a log of megabytes."""
            if len(said) < _PIECES:
                said.append(bounded(text, MESSAGE_CHARACTERS))

        self._parser.CharacterDataHandler = hear

    def _end(self, tag: str) -> None:
        self._depth -= 1
        if tag in _TOLD:
            self._parser.CharacterDataHandler = None
        elif tag == "testcase" and self._case is not None:
            case, self._case = self._case, None
            status = case.get("status") or case.get("result") or ""
            outcome = self._outcome or _STATUS.get(status, Outcome.PASSED)
            self.results.add(
                Case(
                    identity(case.get("name", ""), case.get("classname", "")),
                    outcome,
                    _durations([case.get("time", "0")])[0],
                    "" if outcome is Outcome.SKIPPED else _joined(self._said),
                )
            )

    def _take(self, piece: Piece) -> None:
        """Add the cases that did not go through the parser."""
        if not piece.skipped:
            return
        columns = piece.columns
        names = columns["name"]
        statuses = columns.get("status") or columns.get("result")
        outcomes = bytearray((Outcome.PASSED,)) * len(names)
        if statuses:
            outcomes = bytearray([_STATUS.get(status, Outcome.PASSED) for status in statuses])
        for place, told in enumerate(piece.skipped):
            if told:
                outcomes[place] = Outcome.SKIPPED
        if not piece.is_ginkgo:
            holders = columns.get("classname") or repeat("", len(names))
            names = list(map(identity, names, holders))
        self.results.extend(
            names,
            outcomes,
            _durations(columns["time"]) if "time" in columns else array("I", bytes(4 * len(names))),
            {},
        )


def _joined(said: list[str]) -> str:
    """What a case said, the message of each of its elements on a line of its own."""
    return bounded("".join(said).strip(), MESSAGE_CHARACTERS)


def identity(name: str, holder: str) -> str:
    """The name under which a test is known over time.

    Ginkgo puts the suite into `classname` and everything that names the test into `name`.
    """
    if name.startswith(LEAF):
        name = name.removeprefix(LEAF)
    elif holder and name[:1] != "[" and not name.startswith(holder):
        name = f"{holder}.{name}"
    return bounded(name, NAME_CHARACTERS) if len(name) > NAME_CHARACTERS else name or "(unnamed)"


def read(stream: Readable, file: str) -> JUnit:
    """Read a document; raise UsageError where it is damaged, hostile or something else."""
    document = JUnit(file)
    for chunk, last in _chunks(stream, file):
        document.feed(chunk, last=last)
    return document


def _chunks(stream: Readable, file: str) -> Iterator[tuple[bytes, bool]]:
    total = 0
    while chunk := stream.read(_CHUNK):
        total += len(chunk)
        if total > FILE_BYTES:
            raise refuse(file, f"it is larger than {FILE_BYTES >> 20} MiB")
        yield chunk, False
    yield b"", True


def _durations(texts: Sequence[str]) -> "array[int]":
    """Milliseconds; 0 where nothing is told or it is nonsense."""
    try:
        return array("I", map(int, map((1000.0).__mul__, map(float, texts))))
    except (ValueError, OverflowError):
        seconds = [_seconds(text) for text in texts]
        return array("I", [int(each * 1000) if 0 <= each < _LONGEST_S else 0 for each in seconds])


def _seconds(text: str) -> float:
    """A duration as it is written; some programs write 1,234.5."""
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return 0.0
