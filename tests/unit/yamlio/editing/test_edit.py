"""Edits change what they name, mean exactly that, and leave every other byte alone."""

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus import SEED, hostile, manifests, mutations
from transom.errors import InvalidDocument
from transom.yamlio.editing import Append, Edit, Remove, Rename, Replace, Set, edit
from transom.yamlio.editing.change import change
from transom.yamlio.editing.stream import Stream
from transom.yamlio.loader import load


def edited(source, *edits):
    (document,) = load(source, name="file.yaml")
    outcome = edit(document, edits)
    assert outcome.refused == ()
    return outcome.document.source.decode()


def refusals(source, *edits):
    (document,) = load(source, name="file.yaml")
    outcome = edit(document, edits)
    assert outcome.document.source.decode() == source
    return [refused.reason for refused in outcome.refused]


REMOVALS: dict[str, tuple[str, list[tuple[str | int, ...]], str]] = {
    "a key between others, with the comment behind it": (
        "a: 1\nb: 2  # why\nc: 3\n",
        [("b",)],
        "a: 1\nc: 3\n",
    ),
    "comments above stay": (
        "a:\n  # heading\n  b: 1\n  c: 2\n",
        [("a", "b")],
        "a:\n  # heading\n  c: 2\n",
    ),
    "comments and blank lines after the last key stay": (
        "a:\n  b: 1\n  c: 2\n\n  # about d\nd: 3\n",
        [("a", "c")],
        "a:\n  b: 1\n\n  # about d\nd: 3\n",
    ),
    "a whole collection below the key": (
        "a:\n  b:\n  - c: 1\n    d: [x, y]\n  - e\nf: 1\n",
        [("a", "b")],
        "a: {}\nf: 1\n",
    ),
    "the last key of a block mapping leaves braces": (
        "a:  # top\n  b: 1\nc: 2\n",
        [("a", "b")],
        "a: {}  # top\nc: 2\n",
    ),
    "all keys at once": ("a:\n  b: 1\n  c: 2\n", [("a", "b"), ("a", "c")], "a: {}\n"),
    "the first key behind a dash": (
        "a:\n- b: 1\n  c: 2\n- d: 3\n",
        [("a", 0, "b")],
        "a:\n- c: 2\n- d: 3\n",
    ),
    "the first key behind a dash, with a comment above the next": (
        "a:\n- b: 1\n  # about c\n  c: 2\n",
        [("a", 0, "b")],
        "a:\n  # about c\n- c: 2\n",
    ),
    "the first two keys behind two dashes": (
        "- - a: 1\n    b: 2\n    c: 3\n",
        [(0, 0, "a"), (0, 0, "b")],
        "- - c: 3\n",
    ),
    "the only key behind a dash": ("a:\n- b: 1\n- c\n", [("a", 0, "b")], "a:\n- {}\n- c\n"),
    "the first key in braces": ("a: {b: 1, c: 2}\n", [("a", "b")], "a: {c: 2}\n"),
    "the last key in braces": ("a: {b: 1, c: 2}\n", [("a", "c")], "a: {b: 1}\n"),
    "the last key in braces before a comma": ("a: {b: 1, c: 2, }\n", [("a", "c")], "a: {b: 1, }\n"),
    "the only key in braces": ("a: { b: 1 }\n", [("a", "b")], "a: {}\n"),
    "a key in JSON on several lines": (
        '{\n  "a": 1,\n  "b": {\n    "c": 2\n  }\n}\n',
        [("b",)],
        '{\n  "a": 1\n}\n',
    ),
    "a key in JSON indented by tabs": (
        '{\n\t"a": 1,\n\t"b": 2\n}\n',
        [("a",)],
        '{\n\t"b": 2\n}\n',
    ),
    "a comment inside braces belongs to what stays": (
        "a: {\n  b: 1, # about b\n  c: 2\n}\n",
        [("a", "c")],
        "a: {\n  b: 1, # about b\n  \n}\n",
    ),
    "literal text that looks like a comment": (
        "a:\n  b: |\n    # no comment\n\n    end\n  c: 1\n",
        [("a", "b")],
        "a:\n  c: 1\n",
    ),
    "line ends of Windows": ("a:\r\n  b: 1\r\n  c: 2\r\n", [("a", "b")], "a:\r\n  c: 2\r\n"),
    "a tab after the colon": ("a:\n  b:\t1\n  c: 2\n", [("a", "b")], "a:\n  c: 2\n"),
    "the last line without an end": ("a:\n  b: 1\n  c: 2", [("a", "c")], "a:\n  b: 1\n"),
    "an alias, but not its anchor": (
        "a: &x {b: 1}\nc:\n  d: *x\n  e: 1\n",
        [("c", "d")],
        "a: &x {b: 1}\nc:\n  e: 1\n",
    ),
    "a list that ends with an alias": (
        "a: &x 1\nb:\n  c:\n  - 2\n  - *x\n  d: 3\n",
        [("b", "c")],
        "a: &x 1\nb:\n  d: 3\n",
    ),
    "what is below something else that goes": (
        "a:\n  b:\n    c: 1\n  d: 2\n",
        [("a", "b", "c"), ("a", "b")],
        "a:\n  d: 2\n",
    ),
}


@pytest.mark.parametrize("case", REMOVALS)
def test_removal_of(case):
    source, paths, expected = REMOVALS[case]
    assert expected == edited(source, *map(Remove, paths))


ADDITIONS: dict[str, tuple[str, list[Edit], str]] = {
    "a key behind the last one": (
        "a:\n  b: 1  # c\n# end\n",
        [Set(("a", "d"), "x")],
        "a:\n  b: 1  # c\n  d: x\n# end\n",
    ),
    "a key with the mappings it needs": (
        "a:\n  b: 1\n",
        [Set(("a", "os", "name"), "windows")],
        "a:\n  b: 1\n  os:\n    name: windows\n",
    ),
    "two keys that need the same mapping": (
        "a:\n  b: 1\n",
        [Set(("a", "c", "d"), 1), Set(("a", "c", "e"), 2)],
        "a:\n  b: 1\n  c:\n    d: 1\n    e: 2\n",
    ),
    "a key of a mapping behind a dash": (
        "- a: 1\n- b\n",
        [Set((0, "c"), True)],
        "- a: 1\n  c: true\n- b\n",
    ),
    "a key in braces": ("a: {b: 1}\n", [Set(("a", "c.io/d"), "e")], "a: {b: 1, c.io/d: e}\n"),
    "a key in empty braces": ("a: {}\n", [Set(("a", "b"), 1)], "a: {b: 1}\n"),
    "a key in place of nothing": ("a:\nb: 1\n", [Set(("a", "c"), 1)], "a: {c: 1}\nb: 1\n"),
    "a key in place of null": ("a: null  # c\n", [Set(("a", "c"), 1)], "a: {c: 1}  # c\n"),
    "a key in JSON": (
        '{\n  "a": {\n    "b": 1\n  }\n}\n',
        [Set(("a", "os", "name"), "windows")],
        '{\n  "a": {\n    "b": 1,\n    "os": {"name": "windows"}\n  }\n}\n',
    ),
    "a value that words would change": (
        "a:\n  b: 1\n",
        [Set(("c",), "no")],
        'a:\n  b: 1\nc: "no"\n',
    ),
    "a value in the quotes that were there": (
        "a: 'x'  # c\n",
        [Replace(("a",), "it's")],
        "a: 'it''s'  # c\n",
    ),
    "another name in the quotes that were there": (
        '"a.b/c": 1\n',
        [Rename(("a.b/c",), "c")],
        '"c": 1\n',
    ),
    "an item in the style of the list": (
        "a:\n  - b: 1\n# end\n",
        [Append(("a",), {"c": 1, "d": [2]})],
        "a:\n  - b: 1\n  - c: 1\n    d:\n      - 2\n# end\n",
    ),
    "an item of a list that is missing": (
        "a:\n  b: 1\n",
        [Append(("a", "c"), {"d": 1}), Append(("a", "c"), {"d": 2})],
        "a:\n  b: 1\n  c:\n  - d: 1\n  - d: 2\n",
    ),
    "an item in brackets": ("a: [1]\n", [Append(("a",), {"b": 2})], "a: [1, {b: 2}]\n"),
    "line ends of Windows": (
        "a:\r\n  b: 1\r\n",
        [Set(("a", "c", "d"), 1)],
        "a:\r\n  b: 1\r\n  c:\r\n    d: 1\r\n",
    ),
    "the last line without an end": ("a:\n  b: 1", [Set(("a", "c"), 1)], "a:\n  b: 1\n  c: 1"),
    "beside what another edit removes": (
        "a:\n  b: 1\n",
        [Set(("a", "c"), 1), Remove(("a", "b"))],
        "a: {c: 1}\n",
    ),
}


@pytest.mark.parametrize("case", ADDITIONS)
def test_addition_of(case):
    source, edits, expected = ADDITIONS[case]
    assert expected == edited(source, *edits)


REFUSALS = {
    "an anchor that an alias needs": ("a: &x {b: 1}\nc: *x\n", Remove(("a",)), "line 1"),
    "an anchor deep inside": ("a:\n  b: &x 1\nc: *x\n", Remove(("a",)), "line 2"),
    "a place that an alias shares": ("a: &x {b: 1}\nc: *x\n", Remove(("c", "b")), "anchor"),
    "the place of the anchor itself": ("a: &x {b: 1}\nc: *x\n", Remove(("a", "b")), "anchor"),
    "a key that comes through a merge": (
        "a: &x {b: 1}\nc:\n  <<: *x\n  d: 1\n",
        Remove(("c", "b")),
        "`<<` on line 3",
    ),
    "a key under which a merge would come through": (
        "a: &x {b: 1}\nc:\n  <<: *x\n  b: 2\n",
        Remove(("c", "b")),
        "`<<` on line 3",
    ),
    "a key written with a question mark": (
        "a:\n  ? b\n  : 1\n  c: 2\n",
        Remove(("a", "b")),
        "line",
    ),
    "a pair without braces": ("a: [b: 1]\n", Remove(("a", 0, "b")), "braces"),
    "the only key of all": ("a: 1\n", Remove(("a",)), "nothing would be left"),
    "a mapping with a tag": ("a: !!map\n  b: 1\n", Remove(("a", "b")), "tag"),
    "block text in place of a word": ("a: |\n  b\n", Replace(("a",), "c"), "block"),
    "a word in place of a mapping": ("a: b\n", Set(("a", "c"), 1), "scalar"),
    "a key of an item of no list": ("a: 1\n", Set(("b", 0, "c"), 1), "the list on the way"),
    "what is not there": ("a: 1\n", Remove(("b",)), "not there"),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_refusal_of(case):
    source, wanted, reason = REFUSALS[case]
    (found,) = refusals(source, wanted)
    assert reason in found


def test_what_cannot_be_done_does_not_keep_the_rest_from_being_done():
    (document,) = load("a: &x {b: 1}\nc: *x\nd: 1\n", name="file.yaml")
    outcome = edit(document, [Remove(("a",)), Remove(("d",))])
    assert outcome.document.source == b"a: &x {b: 1}\nc: *x\n"
    assert [refused.edit for refused in outcome.refused] == [Remove(("a",))]


def test_lines_in_reasons_are_those_of_the_file():
    _, document = load("z: 1\n---\na: &x {b: 1}\nc: *x\n", name="file.yaml")
    (refused,) = edit(document, [Remove(("a",))]).refused
    assert "line 3" in refused.reason


def test_texts_at_their_worst_are_edited_as_asked_or_left_with_a_reason():
    chance = random.Random(SEED)
    texts = [*hostile(600), *manifests(40)]
    made = 0
    for text in (*texts, *mutations(texts, 600)):
        try:
            documents = load(text, name="file.yaml")
        except InvalidDocument:
            continue
        for document in documents:
            paths = [*paths_in(document.value)]
            chosen = chance.sample(paths, min(len(paths), chance.choice((1, 2, 5))))
            edits = [
                Remove(path) if chance.random() < 0.6 else Set((*path[:-1], "new", "key"), [1])
                for path in chosen
            ]
            outcome = edit(document, edits)
            expected = document.value
            for done in outcome.made:
                expected = change(expected, done)
            assert load(outcome.document.source, name="again")[0].value == expected
            made += len(outcome.made)
    assert made > 500


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_keeps_its_encoding_and_all_between_its_documents(encoding):
    text = "# é\r\n---\r\na:\r\n  b: é\r\n  c: 1\r\n---\r\n# nothing\r\n---\r\nd: 1\r\ne: 2\r\n"
    stream = Stream(text.encode(encoding), name="file.yaml")
    first, second = stream.documents
    changed = [
        edit(first, [Remove(("a", "b"))]).document,
        edit(second, [Remove(("e",))]).document,
    ]
    expected = text.replace("  b: é\r\n", "").replace("e: 2\r\n", "")
    assert expected == stream.with_documents(changed).decode(encoding)


WORDS = st.sampled_from(["a", "b.c/d", "e", "no", "x y", "1", "ü"])
VALUES = st.recursive(
    st.one_of(WORDS, st.booleans(), st.none(), st.integers(0, 9)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=4)),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(WORDS, VALUES, min_size=1, max_size=4)


def written(draw, value, column, *, in_flow=False):
    """The value in a style of chance, from where a key's colon or a dash stands."""
    is_flow = in_flow or draw(st.booleans()) or not value
    if isinstance(value, dict):
        if is_flow:
            pairs = (
                f"{json.dumps(key)}: {written(draw, item, 0, in_flow=True)}"
                for key, item in value.items()
            )
            return "{" + draw(st.sampled_from([", ", ",\n      ", ",  "])).join(pairs) + "}"
        return "\n" + block(draw, value, column + 2)
    if isinstance(value, list):
        if is_flow:
            return "[" + ", ".join(written(draw, item, 0, in_flow=True) for item in value) + "]"
        dash = " " * (column + draw(st.sampled_from([0, 2])))
        return "\n" + "".join(f"{dash}- {item_of(draw, item, len(dash))}\n" for item in value)[:-1]
    return json.dumps(value, ensure_ascii=False)


def item_of(draw, item, column):
    if isinstance(item, dict) and item and draw(st.booleans()):
        return block(draw, item, column + 2).lstrip(" ")
    return written(draw, item, column, in_flow=True)


def block(draw, value, column):
    lines: list[str] = []
    for key, item in value.items():
        if lines and draw(st.integers(0, 3)) == 0:
            lines.append(f"{' ' * column}# above {len(lines)}")
        text = written(draw, item, column)
        comment = "  # behind" if "\n" not in text and draw(st.booleans()) else ""
        separator = "" if text.startswith("\n") else " "
        lines.append(
            f"{' ' * column}{json.dumps(key, ensure_ascii=False)}:{separator}{text}{comment}"
        )
    return "\n".join(lines)


def paths_in(value, path=()):
    """The path of every key."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield (*path, key)
            yield from paths_in(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from paths_in(item, (*path, index))


@given(st.data(), DOCUMENTS)
def test_any_removal_means_that_and_keeps_comments_on_lines_of_their_own(data, value):
    source = block(data.draw, value, 0) + data.draw(st.sampled_from(["", "\n", "\n# end\n"]))
    source = source.replace("\n", data.draw(st.sampled_from(["\n", "\r\n"])))
    (document,) = load(source, name="file.yaml")
    assert document.value == value
    paths = data.draw(st.lists(st.sampled_from([*paths_in(value)]), min_size=1, unique=True))
    outcome = edit(document, [Remove(path) for path in paths])
    expected = value
    for made in outcome.made:
        expected = change(expected, made)
    assert outcome.document.value == expected
    assert load(outcome.document.source, name="again")[0].value == expected
    if set(value) - {path[0] for path in paths if len(path) == 1}:
        assert outcome.refused == ()
    comments = [line for line in source.splitlines() if line.startswith("#")]
    assert [line for line in outcome.document.source.decode().splitlines() if line in comments] == (
        comments
    )


@given(st.data(), DOCUMENTS)
def test_any_addition_means_that_and_its_removal_gives_the_value_back(data, value):
    source = block(data.draw, value, 0) + data.draw(st.sampled_from(["", "\n", "\n# end\n"]))
    (document,) = load(source, name="file.yaml")
    mappings = [(), *(path for path in paths_in(value) if isinstance(at(value, path), dict))]
    owner = data.draw(st.sampled_from(mappings))
    wanted = Set((*owner, "new", "key"), data.draw(VALUES))
    outcome = edit(document, [wanted])
    assert outcome.refused == ()
    assert outcome.document.value == change(value, wanted)
    back = edit(outcome.document, [Remove((*owner, "new"))])
    assert back.refused == ()
    assert back.document.value == value


def at(value, path):
    for step in path:
        value = value[step]
    return value


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "spec:\n  tolerations:\n  - key: a\n  # - key: b\n  #   value: c\nstatus: x\n",
            "spec:\n  tolerations:\n  - key: a\n  # - key: b\n  #   value: c\n  os: w\nstatus: x\n",
        ),
        (
            "spec:\n  args:\n    - one\n    # - two\n# about the status\nstatus: x\n",
            "spec:\n  args:\n    - one\n    # - two\n  os: w\n# about the status\nstatus: x\n",
        ),
        (
            "spec:\n  a: 1\n  # about what follows\nstatus: x\n",
            "spec:\n  a: 1\n  os: w\n  # about what follows\nstatus: x\n",
        ),
    ],
)
def test_a_new_key_stands_behind_items_that_are_commented_out(text, expected):
    (document,) = load(text, name="a.yaml")
    assert edit(document, [Set(("spec", "os"), "w")]).document.source.decode() == expected
