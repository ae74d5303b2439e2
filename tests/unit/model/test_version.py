"""Versions sort as semantic versioning says, and ranges are half-open."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.model.version import Version, VersionRange

VERSIONS = st.builds(
    Version,
    st.integers(0, 40),
    st.integers(0, 40),
    st.integers(0, 40),
    st.sampled_from(["", "alpha.1", "beta.2", "rc.1", "flannel3"]),
)


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("1.37.1", Version(1, 37, 1)),
        ("v1.37", Version(1, 37, 0)),
        ("1.30", Version(1, 30, 0)),
        ("1.4.0-beta.2", Version(1, 4, 0, "beta.2")),
        ("1.37.1+build.5", Version(1, 37, 1)),
    ],
)
def test_versions_are_read_as_written(text, version):
    assert version == Version.parse(text)


@pytest.mark.parametrize("text", ["", "one", "1.2.3.4", "1..2", "latest", "1.37.x"])
def test_what_is_no_version_is_refused(text):
    with pytest.raises(ValueError, match="not a version"):
        Version.parse(text)


@given(VERSIONS)
def test_a_version_survives_its_own_text(version):
    assert version == Version.parse(str(version))


@given(VERSIONS, VERSIONS)
def test_order_is_total_and_agrees_with_equality(one, other):
    assert (one < other) + (other < one) + (one == other) == 1


def test_a_prerelease_comes_before_its_release():
    texts = ["1.4.0-alpha.1", "1.4.0-beta.2", "1.4.0-beta.10", "1.4.0", "1.4.1-rc.1", "1.10.0"]
    assert texts == [str(v) for v in sorted(map(Version.parse, reversed(texts)))]


def test_the_upper_bound_of_a_range_is_outside():
    window = VersionRange.parse(">=1.36,<1.38")
    inside = [
        text for text in ("1.35.9", "1.36", "1.37.1", "1.38") if Version.parse(text) in window
    ]
    assert inside == ["1.36", "1.37.1"]


def test_an_empty_range_text_is_everything():
    assert Version(0) in VersionRange.parse("")


@pytest.mark.parametrize("text", [">1.2", "<=1.3", "1.2", ">=1.3,<1.3", ">=1.2,>=1.3"])
def test_other_forms_of_ranges_are_refused(text):
    with pytest.raises(ValueError, match="range"):
        VersionRange.parse(text)


@given(VERSIONS, VERSIONS, VERSIONS, VERSIONS, VERSIONS)
def test_overlap_means_that_some_version_is_in_both(a, b, c, d, probe):
    one = VersionRange(min(a, b), max(a, b))
    other = VersionRange(min(c, d), max(c, d))
    if probe in one and probe in other:
        assert one.overlaps(other)
    assert one.overlaps(other) == other.overlaps(one)
