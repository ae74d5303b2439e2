"""Paths of rules are read, followed and written as they stand in the facts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.workload.paths import KeyPrefix, Wild, owners, parse, text_of


def test_every_form_of_step():
    path = "metadata.annotations['a.b/c'].spec[*].*.limits['hugepages-*']"
    assert parse(path) == (
        "metadata",
        "annotations",
        "a.b/c",
        "spec",
        Wild.ITEM,
        Wild.KEY,
        "limits",
        KeyPrefix("hugepages-"),
    )


@pytest.mark.parametrize("path", ["", ".", "a..b", "a[", "a[0]", "a['b]", "a.", "[x]"])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(ValueError, match="is not a path"):
        parse(path)


NAMES = st.text("abcXYZ019-", min_size=1)


@given(st.lists(NAMES, min_size=1))
def test_names_survive_writing_and_reading(names):
    assert parse(".".join(names)) == tuple(names)
    assert text_of(tuple(names)) == ".".join(names)


@given(st.text(max_size=20))
def test_no_text_breaks_the_reader(text):
    try:
        assert parse(text)
    except ValueError as error:
        assert "is not a path" in str(error)  # noqa: PT017 - either is right


def test_a_missing_end_is_reported_once_per_item():
    value = {"containers": [{"resources": {"limits": {"cpu": 1}}}, {}]}
    steps = parse("containers[*].resources.limits.cpu")
    assert [found for _path, found in owners(value, steps, ())] == [1, None]
    assert list(owners({}, steps, ())) == []
