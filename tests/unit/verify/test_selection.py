"""Focus and skip select as Ginkgo would; what cannot be judged or selects nothing is an error."""

import pytest

from transom.errors import UsageError
from transom.facts import e2e_names
from transom.facts.rows import read
from transom.facts.upstream import UpstreamJob
from transom.verify.selection import alternatives, compiled, select

NAMES = (
    "[sig-apps] CronJob should replace jobs [Conformance]",
    "[sig-node] Pods should run [NodeConformance] [LinuxOnly]",
    "[sig-windows] Density creates pods [Serial] [Slow]",
    "[sig-windows] Services answer",
)


def chosen(focus="", skip=""):
    return select(NAMES, focus=focus, skip=skip).tests


def test_a_skip_wins_over_a_focus():
    assert chosen(r"\[sig-windows\]|\[NodeConformance\]", r"\[LinuxOnly\]|\[Serial\]") == NAMES[3:]


def test_without_a_focus_everything_is_selected():
    assert chosen() == NAMES


def test_the_name_of_the_suite_is_matched_too():
    """A pattern that begins with ^ begins there."""
    assert chosen(r"^Kubernetes.e2e.suite \[sig-windows\]") == NAMES[2:]
    with pytest.raises(UsageError):
        chosen(r"^\[sig-windows\]")


def test_a_focus_that_selects_nothing_is_an_error_that_names_which():
    with pytest.raises(UsageError, match="none of 4 tests; these parts match nothing: Gone, Lost"):
        chosen("Gone|Lost")


def test_parts_that_match_nothing_are_told_where_others_do():
    selection = select(NAMES, focus=r"\[sig-windows\]|\[Gone\]", skip="")
    assert (len(selection.tests), selection.dead) == (2, (r"\[Gone\]",))


def test_a_skip_that_leaves_nothing_is_an_error():
    with pytest.raises(UsageError, match="selects none") as error:
        chosen("sig", "sig")
    assert error.value.hint == "the skip removes every test"


@pytest.mark.parametrize(
    ("pattern", "parts"),
    [
        ("a|b", ["a", "b"]),
        (r"(a|b).*(c|d)|\[e\]", ["(a|b).*(c|d)", r"\[e\]"]),
        (r"a\|b|[|(]c", [r"a\|b", "[|(]c"]),
        ("", [""]),
    ],
)
def test_alternatives_are_those_outside_of_groups(pattern, parts):
    assert list(alternatives(pattern)) == parts


@pytest.mark.parametrize(
    "pattern",
    [r"a(?=b)", r"(?!a)b", r"(?<=a)b", r"(a)\1", r"a++", r"(?>a)", r"(?P=n)", r"a\Z"],
)
def test_what_go_does_not_have_is_refused(pattern):
    with pytest.raises(UsageError, match="Go has no such thing"):
        compiled(pattern, "focus")


@pytest.mark.parametrize(
    "pattern", [r"[[:alpha:]]", r"\pL", r"\Qa.b\E", r"(?U)a*", r"a\z", r"a(?i)b"]
)
def test_what_only_go_has_is_refused(pattern):
    with pytest.raises(UsageError, match="only Go has it"):
        compiled(pattern, "focus")


def test_words_and_digits_are_those_of_ascii_as_in_go():
    assert not compiled(r"^\w$", "focus").search("ü")
    assert not compiled(r"\d", "focus").search("\N{ARABIC-INDIC DIGIT ONE}")


def test_what_is_no_expression_is_an_error():
    with pytest.raises(UsageError, match="the skip is no regular expression"):
        compiled("(", "skip")


@pytest.mark.parametrize("row", read(UpstreamJob), ids=lambda row: f"{row.id} {row.kubernetes}")
def test_upstreams_own_expressions_can_be_judged(row):
    compiled(row.focus, "focus")
    compiled(row.skip, "skip")
    assert all(alternatives(row.focus))


def test_a_list_is_what_the_program_prints(tmp_path):
    """The form of e2e.test --list-tests: test/e2e/framework/test_context.go, listTestInformation."""
    printed = (
        "The following spec names can be used with 'ginkgo run --focus/skip':\n"
        "    test/e2e/windows/density.go:42: [sig-windows] Density: takes 1:2 [Serial]\n"
        "    test/e2e/apps/cronjob.go:7: [sig-apps] CronJob runs\n\n"
    )
    tests = e2e_names.listed(printed)
    assert tests == ["[sig-windows] Density: takes 1:2 [Serial]", "[sig-apps] CronJob runs"]
    (tmp_path / "1.37.txt.gz").write_bytes(e2e_names.packed(tests))
    assert e2e_names.names("1.37", tmp_path) == tuple(sorted(tests))
    assert e2e_names.names("1.36", tmp_path) is None
