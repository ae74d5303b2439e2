"""JUnit as many programs write it; damaged and hostile files are refused, and memory does not grow."""

import io
import tracemalloc

import pytest

from transom.errors import UsageError
from transom.verify.reading import junit, limits
from transom.verify.results import Outcome


def read(text, file="junit.xml"):
    data = text if isinstance(text, bytes) else text.encode()
    return junit.read(io.BytesIO(data), file)


def only(text):
    (case,) = read(text).results.cases()
    return case


def outcomes(text):
    return {case.name: case.outcome for case in read(text).results.cases()}


def suite(*cases):
    return f"<testsuite>{''.join(cases)}</testsuite>"


DIALECTS = {
    "ginkgo names a case by its leaf and has the suite as its class": (
        suite('<testcase name="[It] [sig-windows] runs" classname="Kubernetes e2e suite"/>'),
        {"[sig-windows] runs": Outcome.PASSED},
    ),
    "ginkgo tells a time-out by the status": (
        suite('<testcase name="[It] a" status="timedout"><failure/></testcase>'),
        {"a": Outcome.FAILED},
    ),
    "a status alone is believed": (
        suite(
            '<testcase name="[It] a" status="panicked"/>', '<testcase name="b" status="pending"/>'
        ),
        {"a": Outcome.FAILED, "b": Outcome.SKIPPED},
    ),
    "pytest has the module as the class": (
        suite('<testcase classname="tests.test_a" name="test_b[1]"/>'),
        {"tests.test_a.test_b[1]": Outcome.PASSED},
    ),
    "an error is a failure": (
        suite('<testcase name="a"><error message="no route"/></testcase>'),
        {"a": Outcome.FAILED},
    ),
    "a failure in the set-up listed beside the skip of the same case is a failure": (
        suite(
            '<testcase name="a"><skipped/></testcase>', '<testcase name="a"><failure/></testcase>'
        ),
        {"a": Outcome.FAILED},
    ),
    "surefire tells a test that passed when tried again": (
        suite('<testcase name="a"><flakyFailure>first</flakyFailure></testcase>'),
        {"a": Outcome.FLAKY},
    ),
    "surefire tells a test that failed every time": (
        suite('<testcase name="a"><failure/><rerunFailure/></testcase>'),
        {"a": Outcome.FAILED},
    ),
    "a retry stands as a second case": (
        suite('<testcase name="a"><failure/></testcase>', '<testcase name="a"/>'),
        {"a": Outcome.FLAKY},
    ),
    "parallel processes each list what another one ran as skipped": (
        suite('<testcase name="a"/>', '<testcase name="a"><skipped/></testcase>'),
        {"a": Outcome.PASSED},
    ),
    "googletest does not run and suppresses": (
        suite('<testcase name="a" status="notrun"/>', '<testcase name="b" result="suppressed"/>'),
        {"a": Outcome.SKIPPED, "b": Outcome.PASSED},
    ),
    "suites nest": (
        "<testsuites><testsuite><testsuite><testcase name='a'/></testsuite></testsuite></testsuites>",
        {"a": Outcome.PASSED},
    ),
    "an error of the suite belongs to no case": (
        suite('<testcase name="a"/>', "<error>the suite broke</error>"),
        {"a": Outcome.PASSED},
    ),
    "there are no cases": ("<testsuites/>", {}),
}


@pytest.mark.parametrize("name", DIALECTS)
def test_dialect(name):
    text, expected = DIALECTS[name]
    assert outcomes(text) == expected


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_encodings_are_read(encoding):
    text = '<testsuite><testcase name="grüße"/></testsuite>'
    assert list(read(text.encode(encoding)).results.names) == ["grüße"]


def test_colours_that_a_test_printed_do_not_end_the_import():
    """XML cannot carry an escape character; programs write it all the same."""
    case = only(
        b'<testsuite><testcase name="a"><failure>\x1b[31mno\x1b[0m</failure></testcase></testsuite>'
    )
    assert case.message == "?[31mno?[0m"


@pytest.mark.parametrize(
    ("told", "expected"),
    [
        ("1.5", 1500),
        ("1,234.5", 1_234_500),
        ("", 0),
        ("soon", 0),
        ("-3", 0),
        ("nan", 0),
        ("1e99", 0),
    ],
)
def test_durations(told, expected):
    assert only(suite(f'<testcase name="a" time="{told}"/>')).milliseconds == expected


def test_what_a_failure_says_is_kept_and_bounded():
    text = "x" * 10 * limits.MESSAGE_CHARACTERS
    case = only(suite(f'<testcase name="a"><failure message="why">{text}</failure></testcase>'))
    assert case.message.startswith("why\nxxx")
    assert len(case.message) == limits.MESSAGE_CHARACTERS


def test_properties_and_time_of_the_suite_are_kept():
    document = read(
        '<testsuites><testsuite timestamp="2026-11-18T04:05:06"><properties>'
        '<property name="transom.kb" value="KB1"/></properties><testcase name="a"/></testsuite></testsuites>'
    )
    assert document.timestamp == "2026-11-18T04:05:06"
    assert document.properties == {"transom.kb": "KB1"}


REFUSED = {
    "cut off": ("<testsuite><testcase name='a'>", "not well-formed XML: no element found"),
    "empty": ("", "no element found"),
    "no XML": ("passed: 3", "not well-formed"),
    "another document": ("<html><body/></html>", "no JUnit: it starts with <html>"),
    "entities that grow": (
        '<!DOCTYPE b [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><testsuite>&b;</testsuite>',
        "document type declaration",
    ),
    "a file of this machine": (
        '<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/passwd">]><testsuite><testcase name="&x;"/></testsuite>',
        "document type declaration",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name):
    text, reason = REFUSED[name]
    with pytest.raises(UsageError, match=reason) as error:
        read(text, "results/junit.xml")
    assert error.value.subject.startswith("results/junit.xml")


def test_more_tests_than_can_be_are_refused(monkeypatch):
    monkeypatch.setattr(junit, "TESTS", 3)
    cases = [f'<testcase name="{number}"/>' for number in range(4)]
    with pytest.raises(UsageError, match="more than 3 tests"):
        read(suite(*cases))
    assert len(read(suite(*cases[:3])).results) == 3


class Endless:
    """A file whose one failure never stops talking."""

    def __init__(self, megabytes):
        self.left = megabytes * 16
        self.head = b'<testsuite><testcase name="a"><failure>'

    def read(self, _size: int = -1, /) -> bytes:
        head, self.head = self.head, b""
        if head:
            return head
        self.left -= 1
        return b"x" * 65_536 if self.left >= 0 else b""


def test_a_gigantic_failure_does_not_grow_memory():
    tracemalloc.start()
    with pytest.raises(UsageError):  # it is cut off in the end
        junit.read(Endless(megabytes=64), "huge.xml")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 2_000_000


def test_a_file_beyond_the_bound_is_refused(monkeypatch):
    monkeypatch.setattr(junit, "FILE_BYTES", 1 << 20)
    with pytest.raises(UsageError, match="larger than 1 MiB"):
        junit.read(Endless(megabytes=4), "huge.xml")


class Repeated:
    """A document that begins, and then says one thing over and over; `{}` in it is a number."""

    def __init__(self, part, megabytes):
        self.part, self.left, self.number = part, megabytes << 20, 0

    def read(self, _size: int = -1, /) -> bytes:
        if not self.number:
            self.number = 1
            return b"<testsuite>"
        numbers = range(self.number, self.number + 2000)
        self.number += 2000
        data = "".join(self.part.format(number) for number in numbers).encode()
        self.left -= len(data)
        return data if self.left >= 0 else b""


GROWING = {
    "elements that never end": ("<a>", "nest more than 1000 deep"),
    "cases within cases": ('<testcase name="{}">', "nest more than 1000 deep"),
    "ever new elements": ("<a{}/>", "more than 10000 names"),
    "ever new attributes": ("<a b{}=''/>", "more than 10000 names"),
    "a tag that never ends": ("<a {}=''", "not well-formed"),
    "a value that never ends": ("<a b='", "not well-formed"),
}


@pytest.mark.parametrize("name", GROWING)
def test_what_would_fill_memory_is_refused_soon(name):
    part, reason = GROWING[name]
    tracemalloc.start()
    with pytest.raises(UsageError, match=reason):
        junit.read(Repeated(part, megabytes=64), "huge.xml")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 8_000_000


def test_a_tag_of_many_megabytes_is_refused(monkeypatch):
    monkeypatch.setattr(junit, "TAG_BYTES", 1 << 20)
    stream = Endless(megabytes=64)
    stream.head = b'<testsuite><testcase name="'
    with pytest.raises(UsageError, match="a tag in it is longer than 1 MiB"):
        junit.read(stream, "huge.xml")
    assert stream.left > 900


def test_properties_without_end_are_not_kept():
    document = junit.read(_closed(Repeated('<property name="{}" value=""/>', megabytes=1)), "x.xml")
    assert len(document.properties) == 1000


class _closed:  # noqa: N801 - reads as a word
    """A stream, with the end of the suite after it."""

    def __init__(self, stream):
        self.stream, self.end = stream, b"</testsuite>"

    def read(self, size: int = -1, /) -> bytes:
        data = bytes(self.stream.read(size))
        if not data:
            data, self.end = self.end, b""
        return data


def test_durations_that_add_up_to_more_than_can_be_kept_are_cut():
    case = '<testcase name="a" time="3999999"/>'
    assert only(suite(case, case)).milliseconds == 0xFFFF_FFFF
