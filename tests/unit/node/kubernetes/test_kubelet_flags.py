"""kubeadm's flags file is read as a shell would, and put behind the kubelet's own."""

import shlex
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.errors import PermanentError
from transom.model.taint import Taint, TaintEffect
from transom.node.kubernetes.kubelet_flags import expected, merged_words, parse_flags_file


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ('KUBELET_KUBEADM_ARGS="--a=1 --b=2"\n', ("--a=1", "--b=2")),
        ('KUBELET_KUBEADM_ARGS=""', ()),
        ("KUBELET_KUBEADM_ARGS=--a=1", ("--a=1",)),
        ("# nothing\nOTHER=x\n", ()),
        ("", ()),
        ('\n KUBELET_KUBEADM_ARGS = "--a=K" \r\n', ("--a=K",)),
        ("KUBELET_KUBEADM_ARGS=\"--x='two words' --y=a\\\\b\"", ("--x=two words", "--y=a\\b")),
        ('KUBELET_KUBEADM_ARGS="--path=C:\\var\\lib"', (r"--path=C:\var\lib",)),
        ('KUBELET_KUBEADM_ARGS="--node-labels=KUBELET=1"', ("--node-labels=KUBELET=1",)),
    ],
)
def test_the_arguments_are_read_out_of_the_file(text, flags):
    assert parse_flags_file(text) == flags


@given(st.lists(st.text(alphabet="ab='/ ", min_size=1), max_size=4))
def test_what_a_shell_would_quote_is_read_back(words):
    text = " ".join(shlex.quote(word) for word in words)
    if '"' not in text:
        assert parse_flags_file(f'KUBELET_KUBEADM_ARGS="{text}"') == tuple(words)


def test_an_open_quotation_mark_is_an_error():
    with pytest.raises(PermanentError, match="not closed"):
        parse_flags_file('KUBELET_KUBEADM_ARGS="--a=\'x"')


def test_what_kubeadm_will_write_is_known_before_the_join(recipe):
    taints = (Taint("a", TaintEffect.NO_EXECUTE), Taint("os", TaintEffect.NO_SCHEDULE, "windows"))
    assert set(expected(replace(recipe.join, taints=taints))) == {
        "--node-labels=pool=web",
        "--register-with-taints=a:NoExecute,os=windows:NoSchedule",
        "--v=4",
    }
    assert expected(replace(recipe.join, taints=(), labels={}, kubelet_extra_args={})) == ()


def test_kubeadms_flags_replace_the_recipes_and_leave_all_others():
    own = (
        r"C:\k\kubelet.exe",
        "--windows-service",
        r"--config=C:\c.yaml",
        "--v=2",
        "--node-labels=a=b",
    )
    assert merged_words(own, ("--v=4", "--node-labels=c=d", "--node-ip=10.0.0.21")) == (
        *(r"C:\k\kubelet.exe", "--windows-service", r"--config=C:\c.yaml"),
        *("--v=4", "--node-labels=c=d", "--node-ip=10.0.0.21"),
    )


def test_a_word_that_is_no_flag_is_never_replaced_by_one():
    assert merged_words(("kubelet.exe", "v=2", "v"), ("--v=4",)) == (
        "kubelet.exe",
        "v=2",
        "v",
        "--v=4",
    )


def test_a_flag_that_is_given_twice_keeps_its_order():
    """Kubeadm's list may have a name twice; for most flags the last one counts."""
    assert merged_words(("kubelet.exe",), ("--v=9", "--v=1")) == ("kubelet.exe", "--v=9", "--v=1")
