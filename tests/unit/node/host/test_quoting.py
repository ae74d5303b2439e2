"""Command lines are split by the program as they were joined here."""

import subprocess

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from transom.node.host.quoting import join_arguments, split_arguments

arguments = st.lists(st.text(alphabet='ab \t"\\=-', max_size=8), max_size=5)


@given(arguments)
@example(["C:\\Program Files\\x\\", 'say "no"', "", '\\\\"', "a\\\\b c\\\\"])
def test_splitting_undoes_joining(words):
    assert split_arguments(join_arguments(tuple(words))) == tuple(words)


@given(arguments)
def test_other_implementations_of_the_rules_agree(words):
    assert split_arguments(subprocess.list2cmdline(words)) == tuple(words)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ((r"C:\k\kubelet.exe", "--v=2"), r"C:\k\kubelet.exe --v=2"),
        ((r"C:\Program Files\a.exe",), r'"C:\Program Files\a.exe"'),
        (("D:\\dir with\\",), '"D:\\dir with\\\\"'),
        (('a"b',), '"a\\"b"'),
        (("",), '""'),
    ],
)
def test_only_what_needs_it_is_quoted(words, line):
    assert join_arguments(words) == line
