"""Published sums are read as upstreams write them, and nothing else is taken for one."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.recipe.checksum import is_sha256, parse_checksum

SUM = "0123456789abcdef" * 4
OTHER = "f" * 64
NAME = "kubelet.exe"

sums = st.text("0123456789abcdef", min_size=64, max_size=64)
names = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9._-]{0,20}", fullmatch=True)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(SUM, id="a bare sum"),
        pytest.param(f"{SUM}\n", id="a bare sum with a line end"),
        pytest.param(SUM.upper(), id="capital digits"),
        pytest.param(f"\ufeff{SUM}\r\n", id="a byte order mark and a Windows line end"),
        pytest.param(f"{SUM}  {NAME}\n", id="sum and name"),
        pytest.param(f"{SUM} *{NAME}\n", id="sum and name of a binary file"),
        pytest.param(f"{SUM}  ./dist/{NAME}\n", id="a name with its folder"),
        pytest.param(f"{SUM}  release\\{NAME}\n", id="a name with its Windows folder"),
        pytest.param(f"{OTHER}  kubeadm.exe\n{SUM}  {NAME}\n", id="a list"),
        pytest.param(f"# made by make\n\n{SUM}  {NAME}\n", id="a comment"),
        pytest.param(f"{SUM}  {NAME}\n{SUM}  dist/{NAME}\n", id="the same sum twice"),
        pytest.param(f"gibberish\n{SUM}  {NAME}\n", id="lines of another kind"),
    ],
)
def test_the_sum_is_found(text):
    assert parse_checksum(text, NAME) == SUM


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("", "no sum for kubelet.exe", id="nothing"),
        pytest.param("<html>not found</html>", "no sum", id="a page"),
        pytest.param(f"{SUM}  kubeadm.exe", "no sum", id="another file"),
        pytest.param(f"{SUM}  my-{NAME}", "no sum", id="a longer name"),
        pytest.param(f"{SUM}\n{OTHER}\n", "no sum", id="two sums without names"),
        pytest.param(f"{SUM}  {NAME}\n{OTHER}  {NAME}\n", "2 different sums", id="two sums"),
        pytest.param("a" * 128, "a SHA-512 for", id="a SHA-512"),
        pytest.param(f"{'a' * 32}  {NAME}", "an MD5 for", id="an MD5"),
        pytest.param("a" * 63, "a sum of 63 digits", id="a digit too few"),
    ],
)
def test_what_is_no_sum_for_the_file_is_refused(text, said):
    with pytest.raises(ValueError, match=said):
        parse_checksum(text, NAME)


@given(st.dictionaries(names, sums, min_size=1), st.data())
def test_a_list_gives_each_file_its_own_sum(listed, data):
    text = "".join(f"{value}  {name}\n" for name, value in listed.items())
    name = data.draw(st.sampled_from(sorted(listed)))
    assert parse_checksum(text, name) == listed[name]


@given(st.text(), names)
def test_any_text_gives_a_sum_or_a_value_error(text, name):
    with suppress(ValueError):
        assert is_sha256(parse_checksum(text, name))
