"""What `load` makes of whole texts, and how it says what is wrong with them."""

import time
from contextlib import suppress

import pytest

from transom.errors import InvalidDocument
from transom.yamlio import node
from transom.yamlio.loader import MAX_BYTES, load


def values(source):
    return [document.value for document in load(source, name="file.yaml")]


def mistakes(source):
    with pytest.raises(InvalidDocument) as caught:
        load(source, name="file.yaml")
    assert all(mistake.file == "file.yaml" for mistake in caught.value.mistakes)
    assert all(mistake.hint.endswith(".") for mistake in caught.value.mistakes)
    return [(m.line, m.column, m.message) for m in caught.value.mistakes]


READ = {
    "nothing": ("", []),
    "only comments": ("# one\n---\n# two\n---\n", []),
    "an explicit null": ("null\n", [None]),
    "a scalar": ("text\n", ["text"]),
    "several documents": ("a: 1\n---\nb: 2\n--- # note\n[c]\n", [{"a": 1}, {"b": 2}, ["c"]]),
    "a document's end": ("a: 1\n...\n", [{"a": 1}]),
    "windows line ends": ("a: |\r\n  x\r\n  y\r\nb: 'c'\r\n", [{"a": "x\ny\n", "b": "c"}]),
    "json": ('{"a": [1, 2.0, "x\\n", true, null], "b": {}}', [{"a": [1, 2, "x\n", True, None], "b": {}}]),
    "json over lines": ('{\n\t"a": {\n\t\t"b": "c"\n\t}\n}\n', [{"a": {"b": "c"}}]),
    "json that is no yaml": ('{"a/b": "c\\/d", "e": "\\ud83d\\ude00", "f": 1.0}\n', [{"a/b": "c/d", "e": "😀", "f": 1}]),
    "a flush list": ("a:\n- b\n- c: 1\n  d: 2\ne:\n", [{"a": ["b", {"c": 1, "d": 2}], "e": None}]),
    "nested lists": ("- - a\n  - b\n-\n  - c\n", [[["a", "b"], ["c"]]]),
    "a quoted text under its key": ('a:\n  b: "x\n  y"\n  c: 1\n', [{"a": {"b": "x y", "c": 1}}]),
    "an under-indented quoted text": ('a:\n  b: "x\n y"\n', [{"a": {"b": "x y"}}]),
    "escapes": ('a: "C:\\\\x\\t\\"q\\"\\u00e9"\n', [{"a": 'C:\\x\t"q"é'}]),
    "block styles": ("a: |+\n  x\n\nb: >-\n  x\n  y\nc: |2\n    x\n", [{"a": "x\n\n", "b": "x y", "c": "  x\n"}]),
    "comments": ("a: b#c # d\n# e\nf: 'g # h' # i\n", [{"a": "b#c", "f": "g # h"}]),
    "an alias": ("a: &x {b: 1}\nc: *x\n", [{"a": {"b": 1}, "c": {"b": 1}}]),
    "a merge, then its override": ("a: &x {b: 1, c: 2}\nd: {<<: *x, b: 3}\n", [{"a": {"b": 1, "c": 2}, "d": {"b": 3, "c": 2}}]),
    "a merge of several, the first strongest": ("d: {<<: [{b: 1}, {b: 2, c: 3}]}\n", [{"d": {"b": 1, "c": 3}}]),
    "a quoted merge key": ("'<<': {a: 1}\n", [{"<<": {"a": 1}}]),
    "keys that are not strings": ("y: 1\n0644: 2\n1.5: 3\n'yes': 4\n", [{"true": 1, "420": 2, "1.5": 3, "yes": 4}]),
    "tags": ("!!map\na: !!str 12\nb: !!seq [!!int '3']\n", [{"a": "12", "b": [3]}]),
    "a byte order mark": ("\ufeffa: 1\n---\n\ufeffb: 2\n", [{"a": 1}, {"b": 2}]),
    "a complex key's form": ("? a\n: b\n", [{"a": "b"}]),
}  # fmt: skip


@pytest.mark.parametrize("source, expected", READ.values(), ids=READ)  # noqa: PT006
def test_read(source, expected):
    assert values(source) == expected
    assert values(source.encode()) == expected
    assert values(source.encode("utf-16")) == expected


REFUSED = {
    "a repeated key": ("a:\n  b: 1\n  b: 2\n", [(3, 3, "the key `b` is repeated, first set on line 2, column 3")]),
    "keys that become equal": ("1: a\n'1': b\n", [(2, 1, "the key `1` is repeated, first set on line 1, column 1")]),
    "a merge that replaces": ("a: 1\n<<: {a: 2}\n", [(2, 1, "`<<` replaces the key `a`, first set on line 1, column 1")]),
    "a merge of a scalar": ("<<: 1\n", [(1, 1, "`<<` takes a mapping or a list of mappings")]),
    "a merge of a list's alias": ("a: &x [{b: 1}]\nc: {<<: *x}\n", [(2, 5, "`<<` takes a mapping or a list of mappings")]),
    "a null key": ("~: a\n", [(1, 1, "`~` is null and cannot be a key")]),
    "a template": ("a: {{ .Values.x }}\n", [(1, 5, "a key must be a scalar, not a mapping or a list")]),
    "an unknown tag": ("a: !!python/object:x.Y {}\n", [(1, 4, "the tag !!python/object:x.Y is unknown to Kubernetes here")]),
    "a lone exclamation mark": ("a: ! 12\n", [(1, 4, "a lone `!` is read in several ways")]),
    "an infinity": ("a: .inf\n", [(1, 4, ".inf is a number that JSON cannot hold")]),
    "text behind a separator": ("--- a: 1\n", [(1, 4, "text follows `---` on its line, and kubectl refuses that")]),
    "a second document without separator": ("a: 1\r...\r--- b\n", [(3, 5, "a second document follows without `---`, and Kubernetes would drop it")]),
    "text after the end": ("a: 1\n...\nb: 2\n", [(3, 1, "text follows the end of the document, and Kubernetes would drop it")]),
    "a directive": ("%YAML 1.1\n---\na: 1\n", [(2, 1, "kubectl does not take directives such as %YAML")]),
"a colon that touches": ("a: [b:]\n", [(1, 6, "while scanning a plain scalar: found unexpected ':'")]),
    "a mark in the middle": ("a: 1\nb: \ufeff2\n", [(2, 4, "a byte order mark stands inside the text")]),
    "a control character": ("é: 1\na: \x07\n", [(2, 4, "the character 0x7 is not allowed in YAML")]),
    "bytes that are not text": (b"a: 1\nb: \xff\n", [(2, 4, "the text is not UTF-8")]),
    "a lone surrogate": ("a: \ud800\n", [(1, 4, "the text is not UTF-8")]),
    "half a UTF-16 character": (b"\xff\xfea", [(1, 1, "the text is not UTF-16")]),
    "an anchor in itself": ("a: &x [*x]\n", [(1, 4, "an anchor's value contains itself")]),
    "a bare question mark in brackets": ("a: [http://x/?y]\n", [(1, 5, "Kubernetes does not take a bare `?` inside brackets")]),
    "half a pair in json": ('{"a": "\\ud83d"}\n', [(1, 10, "while parsing a quoted scalar: found invalid Unicode character escape code")]),
    "a repeated key in json": ('{"a": "\\/", "a": 1}', [(1, 7, "Kubernetes does not know the escape `\\/` in YAML")]),
    "an escaped slash": ('a: "b\\/c"\n', [(1, 4, "Kubernetes does not know the escape `\\/` in YAML")]),
    "a tag without value in brackets": ("a: [!!str, b]\n", [(1, 5, "a tag without a value inside brackets is read in several ways")]),
    "two mistakes in two documents": (
        "a: {b: .nan, b: 1}\n---\nc: [\n",
        [
            (1, 8, ".nan is a number that JSON cannot hold"),
            (1, 14, "the key `b` is repeated, first set on line 1, column 5"),
            (4, 1, "while parsing a flow node: did not find expected node content"),
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("source, expected", REFUSED.values(), ids=REFUSED)  # noqa: PT006
def test_refuse_with_the_place(source, expected):
    assert mistakes(source) == expected


def test_a_mistake_below_an_anchor_is_told_once():
    assert len(mistakes("a: &x [.inf]\nb: *x\nc: *x\n")) == 1


def test_a_mistake_names_the_path_in_the_document():
    with pytest.raises(InvalidDocument) as caught:
        load("a:\n- b: {c: .inf}\n", name="-")
    assert [mistake.path for mistake in caught.value.mistakes] == ["a[0].b.c"]


BOMBS = {
    "aliases of aliases": "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)),
    "merges of merges": "a0: &a0 {x: 1}\n"
    + "".join(
        f"a{n}: &a{n} {{<<: [*a{n - 1}], y: *a{n - 1}, z: *a{n - 1}}}\n" for n in range(1, 40)
    ),
    "brackets": "[" * 200_000,
    "braces": "{a: " * 100_000,
    "dashes": "- " * 100_000,
    "indentation": "".join(" " * n + "a:\n" for n in range(3_000)),
    "a chain of nested aliases": "a0: &a0 1\n"
    + "".join(f"a{n}: &a{n} [[[[[[*a{n - 1}]]]]]]\n" for n in range(1, 200)),
}


@pytest.mark.parametrize("source", BOMBS.values(), ids=BOMBS)
def test_a_bomb_is_refused_quickly(source):
    start = time.process_time()
    assert mistakes(source)
    assert time.process_time() - start < 10


@pytest.mark.parametrize(
    "source",
    [
        "a" * 500_000 + ":",
        "a: " + " " * 500_000 + "#",
        "a: '" + "x\n" * 100_000,
        "a: b" + " b:" * 50_000 + "\n",
        "0" * 500_000 + "\n",
        "a: " + "9" * 500_000 + "\n",
        "a: |\n" + "  \n" * 100_000,
        "? " * 400 + "\n",
    ],
    ids=lambda source: source[:6],
)
def test_a_strange_text_is_answered_quickly(source):
    start = time.process_time()
    with suppress(InvalidDocument):
        load(source, name="-")
    assert time.process_time() - start < 10


def test_too_much_text_is_refused_before_it_is_parsed():
    assert mistakes("#" * (MAX_BYTES + 1)) == [(1, 1, "more than 64 MiB of text")]


@pytest.mark.parametrize("source, expected", READ.values(), ids=READ)  # noqa: PT006
def test_read_without_libyaml(source, expected, monkeypatch):
    """The pure parser gives the same values, only slower; it refuses tabs between tokens."""
    monkeypatch.setattr(node, "composer", node._pure_composer())
    if "\n\t" in source:
        assert mistakes(source)
    else:
        assert values(source) == expected


@pytest.mark.parametrize("source", [source for source, _ in REFUSED.values()], ids=REFUSED)
def test_refuse_without_libyaml(source, monkeypatch):
    monkeypatch.setattr(node, "composer", node._pure_composer())
    assert mistakes(source)
