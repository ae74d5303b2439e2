"""Cases that are taken out before the parser runs say the same as those that it reads."""

import io

import pytest

from transom.errors import UsageError
from transom.verify.reading import junit
from transom.verify.reading.plain_cases import PlainCases
from transom.verify.results import Outcome

GINKGO = """<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="6"><testsuite name="Kubernetes e2e suite" timestamp="2026-11-18T04:05:06">
  <properties><property name="transom.kb" value="KB1"></property></properties>
  <testcase name="[It] [sig-windows] runs" classname="Kubernetes e2e suite" status="passed" time="1.5"></testcase>
  <testcase name="[It] [sig-node] skips" classname="Kubernetes e2e suite" status="skipped" time="0">
    <skipped message="skipped - not here"></skipped>
  </testcase>
  <testcase name="[It] grüßt &#34;laut&#34;" classname="Kubernetes e2e suite" status="passed" time="2"></testcase>
  <testcase name="[It] grüßt" classname="Kubernetes e2e suite" status="passed" time="1,234.5"/>
  <testcase name="[It] fails" classname="Kubernetes e2e suite" status="failed" time="3">
    <failure message="no route" type="failed">[FAILED] no route</failure><system-err>much</system-err>
  </testcase>
  <testcase name="[It] fails" classname="Kubernetes e2e suite" status="passed" time="3"></testcase>
  <testcase name="[It] times out" classname="Kubernetes e2e suite" status="timedout" time="4"></testcase>
  <testcase name="[SynchronizedAfterSuite]" classname="Kubernetes e2e suite" status="passed" time="9"></testcase>
</testsuite></testsuites>
"""
PYTEST = """<testsuites><testsuite name="pytest">
<testcase classname="tests.test_a" name="test_b[1]" time="0.001" /><testcase classname="tests.test_a" name="test_c" time="0.002">
<skipped type="pytest.skip" message="no">here</skipped></testcase><testcase classname="" name="test_d" time="nan" />
</testsuite></testsuites>
"""


def read(text, size=1 << 20):
    class Stream(io.BytesIO):
        def read(self, _size=-1, /):
            return super().read(size)

    return junit.read(Stream(text.encode()), "junit.xml")


def told(document):
    cases = {case.name: case[1:] for case in document.results.cases()}
    return cases, document.properties, document.timestamp


@pytest.mark.parametrize("size", [1, 7, 64, 300, 1 << 20])
@pytest.mark.parametrize("text", [GINKGO, PYTEST], ids=["ginkgo", "pytest"])
def test_taken_or_parsed_it_is_the_same(text, size):
    """A comment keeps every case for the parser."""
    at = text.index("<testsuites")
    parsed = read(f"{text[:at]}<!-- all of it -->{text[at:]}")
    assert told(read(text, size)) == told(parsed)


def test_what_ginkgo_says_is_read():
    cases, properties, timestamp = told(read(GINKGO))
    assert {name: case[0] for name, case in cases.items()} == {
        "[sig-windows] runs": Outcome.PASSED,
        "[sig-node] skips": Outcome.SKIPPED,
        'grüßt "laut"': Outcome.PASSED,
        "grüßt": Outcome.PASSED,
        "fails": Outcome.FLAKY,
        "times out": Outcome.FAILED,
        "[SynchronizedAfterSuite]": Outcome.PASSED,
    }
    assert cases["fails"] == (Outcome.FLAKY, 6000, "no route\n[FAILED] no route")
    assert (properties, timestamp) == ({"transom.kb": "KB1"}, "2026-11-18T04:05:06")


def test_most_cases_do_not_reach_the_parser():
    """Otherwise an import takes twice the time."""
    piece = PlainCases().take(GINKGO.encode(), last=True)
    assert list(piece.columns["name"]) == [
        "[sig-windows] runs", "[sig-node] skips", "grüßt", "fails", "times out",
    ]  # fmt: skip
    assert piece.rest.count(b"<testcase") == 3


@pytest.mark.parametrize(
    "inside",
    ["<![CDATA[{}]]>", "<!-- {} -->", "<?log {} ?>"],
    ids=["CDATA", "a comment", "an instruction"],
)
@pytest.mark.parametrize("size", [1, 5, 1 << 20])
def test_text_that_looks_like_a_case_is_none(inside, size):
    text = inside.format('<testcase name="b"/>')
    document = read(
        f'<testsuite><testcase name="a"><failure>{text}</failure></testcase></testsuite>', size
    )
    assert list(document.results.names) == ["a"]


@pytest.mark.parametrize("size", [40, 1 << 20])
def test_a_mistake_after_taken_cases_is_named_with_its_own_line(size):
    lines = ["<testsuite>", *['<testcase name="a" time="1"/>'] * 8, "   <b></c>", "</testsuite>"]
    with pytest.raises(UsageError, match="mismatched tag") as error:
        read("\n".join(lines), size)
    assert error.value.subject == "junit.xml:10:9"


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(UsageError, match="not well-formed"):
        junit.read(io.BytesIO(b'<testsuite><testcase name="\xff"/></testsuite>'), "junit.xml")
