"""JUnit XML, in every dialect met so far, read as a stream: memory does not grow with the file.

The dialects differ in whether suites nest, where a retry is written, and how a skip is told:

- Ginkgo and kubetest: `<skipped>`, a `status` attribute, names that start with `[It] `.
- Maven Surefire: `<flakyFailure>` and `<flakyError>` of a test that passed in the end, `<rerunFailure>` beside `<failure>`.
- GoogleTest: `status="notrun"`, `result="suppressed"`.
- pytest, gotestsum and others: the class in `classname`; a retry as a second `<testcase>`.
"""

from collections.abc import Iterator
from typing import Any
from xml.parsers import expat

from transom.verify.reading.limits import (
    FILE_BYTES,
    MESSAGE_CHARACTERS,
    NAME_CHARACTERS,
    TESTS,
    Readable,
    bounded,
    refuse,
)
from transom.verify.results import Case, Outcome, both

_CHUNK = 1 << 16
_LONGEST_S = 4_000_000
_PIECES = 50
_BATCH = 4096
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
_LEAF = "[It] "


class JUnit:
    """The cases of one document by name, with the properties and the time stamp that its suites carry.

    Most cases say nothing beside their attributes. These are gathered while the parser runs and made into cases many at
    a time, which takes half as long as one by one.
    """

    def __init__(self, file: str) -> None:
        self.cases: dict[str, Case] = {}
        self.properties: dict[str, str] = {}
        self.timestamp = ""
        self._file = file
        self._gathered: list[dict[str, str]] = []
        self._is_within = False  # a case
        self._outcomes: dict[int, Outcome] = {}  # of gathered ones that say how they ended
        self._said: dict[int, list[str]] = {}
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._root
        self._parser.EndElementHandler = self._end
        self._parser.StartDoctypeDeclHandler = self._refuse_declarations

    def feed(self, chunk: bytes, *, last: bool) -> None:
        """Read on."""
        try:
            self._parser.Parse(chunk, last)
        except expat.ExpatError as error:
            reason = expat.errors.messages[error.code]
            raise refuse(
                f"{self._file}:{error.lineno}:{error.offset + 1}",
                f"it is not well-formed XML: {reason}",
                hint="a run that was cut off leaves half a file: import it without this file, or run it again",
            ) from error

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
        if tag == "testcase":
            self._gathered.append(attributes)
            self._is_within = True
        elif self._is_within:
            if tag in _TOLD:
                self._inside(tag, attributes)
        elif tag == "property":
            value = bounded(attributes.get("value", ""), NAME_CHARACTERS)
            self.properties[attributes.get("name", "")] = value
        elif not self.timestamp:
            self.timestamp = attributes.get("timestamp", "")

    def _inside(self, tag: str, attributes: dict[str, str]) -> None:
        """What a case says of its end."""
        place = len(self._gathered) - 1
        self._outcomes[place] = _TOLD[tag]
        said = self._said.setdefault(place, [])
        if attributes.get("message"):
            said.append(bounded(attributes["message"], MESSAGE_CHARACTERS))

        def hear(text: str) -> None:
            """Keep text while there is little: a failure may carry a log of megabytes."""
            if len(said) < _PIECES:
                said.append(bounded(text, MESSAGE_CHARACTERS))

        self._parser.CharacterDataHandler = hear

    def _end(self, tag: str) -> None:
        if tag == "testcase":
            self._is_within = False
            if len(self._gathered) == _BATCH:
                self.settle()
        elif tag in _TOLD:
            self._parser.CharacterDataHandler = None

    def settle(self) -> None:
        """Make cases of what was gathered."""
        cases, told, said = self.cases, self._outcomes, self._said
        for place, attributes in enumerate(self._gathered):
            name = identity(attributes.get("name", ""), attributes.get("classname", ""))
            outcome = told.get(place) or _status(attributes)
            message = _joined(said[place]) if place in said else ""
            case = Case(name, outcome, _milliseconds(attributes.get("time", "")), message)
            cases[name] = both(cases[name], case) if name in cases else case
        if len(cases) > TESTS:
            raise refuse(self._file, f"it has more than {TESTS} tests")
        self._gathered, self._outcomes, self._said = [], {}, {}


def _status(attributes: dict[str, str]) -> Outcome:
    status = attributes.get("status") or attributes.get("result")
    return _STATUS.get(status, Outcome.PASSED) if status else Outcome.PASSED


def _joined(said: list[str]) -> str:
    return bounded("\n".join(text.strip() for text in said).strip(), MESSAGE_CHARACTERS)


def identity(name: str, holder: str) -> str:
    """The name under which a test is known over time.

    Ginkgo puts the suite into `classname` and everything that names the test into `name`.
    """
    if name[:5] == _LEAF:
        name = name[5:]
    elif holder and name[:1] != "[" and not name.startswith(holder):
        name = f"{holder}.{name}"
    return bounded(name, NAME_CHARACTERS) if len(name) > NAME_CHARACTERS else name or "(unnamed)"


def read(stream: Readable, file: str) -> JUnit:
    """Read a document; raise UsageError where it is damaged, hostile or something else."""
    document = JUnit(file)
    for chunk, last in _chunks(stream, file):
        document.feed(chunk, last=last)
    document.settle()
    return document


def _chunks(stream: Readable, file: str) -> Iterator[tuple[bytes, bool]]:
    total = 0
    chunk = stream.read(_CHUNK)
    is_wide = chunk.startswith(_UTF16)
    while chunk:
        total += len(chunk)
        if total > FILE_BYTES:
            raise refuse(file, f"it is larger than {FILE_BYTES >> 20} MiB")
        yield (chunk if is_wide else chunk.translate(_PRINTABLE)), False
        chunk = stream.read(_CHUNK)
    yield b"", True


def _milliseconds(text: str) -> int:
    """The duration, 0 where none is told or it is nonsense. Some programs write 1,234.5."""
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = float(text.replace(",", ""))
        except ValueError:
            return 0
    return int(seconds * 1000) if 0 <= seconds < _LONGEST_S else 0
