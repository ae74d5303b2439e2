"""What Microsoft's tests print is counted right."""

from transom_lab.conformance import Suite, read_outcome, run_suite

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


def test_a_suite_is_run_from_the_hosts_own_drive(tmp_path):
    (tmp_path / "drive_c").mkdir()
    program = tmp_path / "hcsshim.test.exe"
    program.write_text("tests")
    seen = []

    def run(command):
        seen.append(list(command))
        return OUTPUT

    outcome = run_suite(Suite("hcsshim", program), tmp_path / "drive_c", run)
    assert seen == [["C:\\hcsshim.test.exe", "-test.v"]]
    assert (tmp_path / "drive_c" / "hcsshim.test.exe").read_text() == "tests"
    assert outcome.failed == ("TestModify",)
