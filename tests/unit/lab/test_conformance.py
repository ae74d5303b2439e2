"""What Microsoft's tests print is counted right."""

from transom_lab.conformance import read_outcome

OUTPUT = """=== RUN   TestCreateDeleteNetwork\r
--- PASS: TestCreateDeleteNetwork (0.01s)\r
=== RUN   TestModify
    file_test.go:12: something
--- FAIL: TestModify (0.00s)
    --- PASS: TestModify/part (0.00s)
=== RUN   TestOther
--- SKIP: TestOther (0.00s)
FAIL
"""


def test_every_top_level_test_is_counted_once():
    outcome = read_outcome(OUTPUT)
    assert outcome.passed == ("TestCreateDeleteNetwork",)
    assert outcome.failed == ("TestModify",)
    assert outcome.skipped == ("TestOther",)
    assert outcome.output == OUTPUT
