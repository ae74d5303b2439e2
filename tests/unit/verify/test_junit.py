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


def outcomes(text):
    return {case.name: case.outcome for case in read(text).cases.values()}


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
    assert list(read(text.encode(encoding)).cases) == ["grüße"]


def test_colours_that_a_test_printed_do_not_end_the_import():
    """XML cannot carry an escape character; programs write it all the same."""
    document = read(
        b'<testsuite><testcase name="a"><failure>\x1b[31mno\x1b[0m</failure></testcase></testsuite>'
    )
    assert document.cases["a"].message == "?[31mno?[0m"


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
    assert read(suite(f'<testcase name="a" time="{told}"/>')).cases["a"].milliseconds == expected


def test_what_a_failure_says_is_kept_and_bounded():
    text = "x" * 10 * limits.MESSAGE_CHARACTERS
    case = read(
        suite(f'<testcase name="a"><failure message="why">{text}</failure></testcase>')
    ).cases["a"]
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
    assert len(read(suite(*cases[:3])).cases) == 3


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
