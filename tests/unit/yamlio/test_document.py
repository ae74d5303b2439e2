"""Where things stand in a document, and how scalars were written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.yamlio.loader import Position, load
from transom.yamlio.scalar import read_plain

SOURCE = """\
# a comment
first: 1
---
apiVersion: v1
spec:
  version: 1.30
  'quoted': "1.30"
  items:
  - name: é
    flow: {a: b, c: [1, yes]}
  base: &base {x: 1, z: 2}
  derived:
    <<: *base
    z: 3
  0644: mode
  text: |
    line
"""


@pytest.fixture(params=["quick", "parsed"])
def document(request):
    """The same document, read either way."""
    if request.param == "parsed":
        return load(SOURCE, name="file.yaml")[1]
    plain = SOURCE.replace("&base ", "").replace("<<: *base", "x: 1").replace("0644", "'420'")
    document = load(plain, name="file.yaml")[1]
    assert document._root is None
    return document


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        ((), 4, 1),
        (("apiVersion",), 4, 13),
        (("spec", "version"), 6, 12),
        (("spec", "quoted"), 7, 13),
        (("spec", "items", 0, "name"), 9, 11),
        (("spec", "items", 0, "flow", "c", 1), 10, 25),
        (("spec", "derived", "z"), 14, 8),
        (("spec", "420"), None, None),
    ],
)
def test_a_value_is_found_where_it_is_written(document, path, line, column):
    place = document.locate(path)
    if line is None:
        assert document.text(path) == "mode"
    else:
        assert place == Position(line, column)


def test_a_key_is_found_where_it_is_written(document):
    assert document.locate(("spec", "quoted"), key=True) == Position(7, 3)
    assert document.locate(("spec", "items", 0), key=True) == Position(9, 5)


def test_a_merged_value_stands_where_its_mapping_is_written():
    document = load(SOURCE, name="-")[1]
    assert document.locate(("spec", "derived", "x")) == Position(11, 19)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("spec", "items", 7, "name"), 9),
        (("spec", "items", -1), 9),
        (("spec", "items", "name"), 9),
        (("spec", "absent", "deep"), 6),
        (("spec", "version", "deep"), 6),
        (("absent",), 4),
    ],
)
def test_what_is_absent_has_the_place_of_its_nearest_ancestor(document, path, line):
    assert document.locate(path).line == line


def test_a_scalar_keeps_the_characters_it_was_written_in(document):
    assert document.text(("spec", "version")) == "1.30"
    assert document.text(("spec", "items", 0, "flow", "c", 1)) == "yes"
    assert document.text(("spec", "text")) == "line\n"
    assert document.text(("spec", "items")) is None
    assert document.text(("spec", "absent")) is None


@pytest.mark.parametrize("other", ["2022", "0x7E6", "7", "[2022, 2_022]", "2022-01-01"])
@pytest.mark.parametrize("written", ["2022", "+2022", "2_022", "0x7E6", "03746", "2022.0", "-7"])
def test_an_integer_keeps_its_spelling_beside_any_other(written, other):
    (document,) = load(f"a: {written}\nb: {other}\n", name="x")
    assert document.text(("a",)) == written


def test_numbers_are_looked_for_once_however_many_are_asked_for(monkeypatch):
    read = []

    def reading(word):
        read.append(word)
        return read_plain(word)

    monkeypatch.setattr("transom.yamlio.document.read_plain", reading)
    (document,) = load("".join(f"a{n}: {n}\n" for n in range(50)), name="x")
    assert [document.text((f"a{n}",)) for n in range(50)] == [str(n) for n in range(50)]
    assert len(read) == 50


def test_plain_means_without_quotes(document):
    assert document.is_plain(("spec", "version"))
    assert not document.is_plain(("spec", "quoted"))
    assert not document.is_plain(("spec", "text"))
    assert not document.is_plain(("spec", "items"))


def test_json_that_is_no_yaml_has_places_too():
    document = load('{"a": "\\ud83d\\ude00", "b": {"c\\/d": 1}}', name="-")[0]
    assert document.locate(("b", "c/d")) == Position(1, 37)


def test_a_document_knows_its_file_and_number():
    documents = load(SOURCE, name="file.yaml")
    assert [(d.name, d.index) for d in documents] == [("file.yaml", 0), ("file.yaml", 1)]


words = st.from_regex(r"[a-z][a-z0-9]{1,6}x", fullmatch=True)
trees = st.recursive(
    words | st.integers(0, 99),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3)
        | st.dictionaries(words, inner, min_size=1, max_size=3)
    ),
    max_leaves=12,
)


def write(value, indent, lines, places, path):
    """Write a value as YAML below its key or dash, and note where each scalar stands."""
    if not isinstance(value, dict | list):
        places[path] = (len(lines), len(lines[-1]) + 2)
        lines[-1] += f" {value}"
        return
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in entries:
        lines.append(" " * indent + (f"{key}:" if isinstance(value, dict) else "-"))
        write(item, indent + 2, lines, places, (*path, key))


@given(st.dictionaries(words, trees, min_size=1, max_size=4))
def test_every_scalar_is_found_where_it_was_written(value):
    lines: list[str] = []
    places: dict[tuple[str | int, ...], tuple[int, int]] = {}
    write(value, 0, lines, places, ())
    document = load("\n".join(lines) + "\n", name="-")[0]
    assert document.value == value
    for path, (line, column) in places.items():
        assert document.locate(path) == Position(line, column)
