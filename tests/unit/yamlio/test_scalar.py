"""One scalar, as Kubernetes reads it; each row was read by sigs.k8s.io/yaml."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.yamlio.scalar import (
    UnreadableScalar,
    read_plain,
    read_plain_key,
    read_tagged,
    read_tagged_key,
)

TAG = "tag:yaml.org,2002:"

PLAIN = [
    # Octal with and without its letter, and what only looks like it.
    ("0644", 420),
    ("0o644", 420),
    ("0O17", 15),
    ("08", 8),
    ("0_7", 7),
    # Other bases, with signs in odd places.
    ("0x1F", 31),
    ("-0x10", -16),
    ("0xG", "0xG"),
    ("0b101", 5),
    ("-0b11", -3),
    ("0b-101", -5),
    ("0b" + "1" * 70, "0b" + "1" * 70),
    ("0b-" + "1" * 70, "0b-" + "1" * 70),
    # Underscores go; a leading dot keeps them.
    ("1_000", 1000),
    ("1__0", 10),
    ("+_", "+_"),
    ("._5", "._5"),
    # Words of YAML 1.1.
    ("yes", True),
    ("y", True),
    ("On", True),
    ("no", False),
    ("N", False),
    ("off", False),
    ("yEs", "yEs"),
    ("", None),
    ("~", None),
    ("NULL", None),
    ("nULL", "nULL"),
    # Floats come back as JSON writes them.
    ("1.30", 1.3),
    ("1e3", 1000),
    ("5.", 5),
    (".5", 0.5),
    ("-.5", -0.5),
    ("-0.0", 0),
    ("1e20", 10**20),
    ("1e21", 1e21),
    ("1e400", "1e400"),
    ("1e", "1e"),
    # Integers stop at 64 bits; beyond, the digits are a float's shortest.
    ("9223372036854775807", 2**63 - 1),
    ("18446744073709551615", 2**64 - 1),
    ("18446744073709551616", 18446744073709552000),
    ("-9223372036854775809", -9223372036854776000),
    ("0xffffffffffffffff", 2**64 - 1),
    ("-0xffffffffffffffff", "-0xffffffffffffffff"),
    # Times and dates are text.
    ("22:22", "22:22"),
    ("2024-01-02", "2024-01-02"),
    ("2024-01-02T03:04:05Z", "2024-01-02T03:04:05Z"),
    # So is the rest.
    ("-", "-"),
    ("1.2.3", "1.2.3"),
    ("800Mi", "800Mi"),
    ("inf", "inf"),
    ("<<", "<<"),
]


@pytest.mark.parametrize(("text", "value"), PLAIN, ids=[text[:24] or "empty" for text, _ in PLAIN])
def test_a_plain_scalar_has_the_value_and_type_that_kubernetes_gives_it(text, value):
    read = read_plain(text)
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize("text", [".inf", "-.INF", "+.Inf", ".nan"])
def test_a_number_that_json_cannot_hold_is_refused(text):
    with pytest.raises(UnreadableScalar, match="JSON"):
        read_plain(text)


@pytest.mark.parametrize(
    ("text", "tag", "value"),
    [
        ("12", "str", "12"),
        ("yes", "str", "yes"),
        ("12", "int", 12),
        ("0644", "int", 420),
        ("1", "float", 1),
        ("1.5", "float", 1.5),
        ("on", "bool", True),
        ("", "null", None),
        ("aGVs\nbG8=", "binary", "hello"),
    ],
)
def test_a_tag_sets_the_type(text, tag, value):
    assert read_tagged(text, TAG + tag) == value


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("08", "int"),
        ("abc", "int"),
        ("18446744073709551615", "float"),
        ("1", "bool"),
        ("x", "null"),
        ("aGVsbG8", "binary"),
        ("/w==", "binary"),
    ],
)
def test_a_value_that_does_not_fit_its_tag_is_refused(text, tag):
    with pytest.raises(UnreadableScalar, match="not"):
        read_tagged(text, TAG + tag)


@pytest.mark.parametrize("tag", ["!custom", TAG + "python/object/apply:os.system", TAG + "set"])
def test_an_unknown_tag_is_refused_and_never_run(tag):
    with pytest.raises(UnreadableScalar, match="unknown"):
        read_tagged("true", tag)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("name", "name"),
        ("y", "true"),
        ("off", "false"),
        ("0644", "420"),
        ("1.0", "1"),
        ("1.5", "1.5"),
        ("0.1", "0.1"),
        ("1e6", "1e+06"),
        ("100000.5", "100000.5"),
        ("123456789.0", "1.2345679e+08"),
        ("0.00001", "1e-05"),
        ("-0.0", "-0"),
        ("3.5e39", ".inf"),
        ("-.inf", "-.inf"),
        (".nan", ".nan"),
    ],
)
def test_a_key_becomes_the_string_that_go_makes_of_it(text, name):
    assert read_plain_key(text) == name


@pytest.mark.parametrize("text", ["", "~", "null", "18446744073709551615"])
def test_a_key_without_a_string_form_is_refused(text):
    with pytest.raises(UnreadableScalar, match="cannot be a key"):
        read_plain_key(text)


def test_a_tagged_key_is_named_by_its_value():
    assert read_tagged_key("0644", TAG + "int") == "420"


@given(st.integers(-(2**63), 2**64 - 1))
def test_every_64_bit_integer_is_read_exactly(number):
    assert read_plain(str(number)) == number


@given(st.text(min_size=1, max_size=40))
def test_any_text_is_a_value_or_a_refusal(text):
    """No input breaks the reading in another way."""
    with suppress(UnreadableScalar):
        assert isinstance(read_plain(text), str | int | float | None)
