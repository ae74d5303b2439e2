"""Places found by indentation are those that the parser finds, in every document they know."""

from pathlib import Path

import pytest

import corpus
from transom.yamlio.document import Document
from transom.yamlio.loader import load
from transom.yamlio.node import compose
from transom.yamlio.outline import Outline
from transom.yamlio.unusual import UnusualError

RULE_FIXTURES = Path(__file__).parents[2] / "data" / "rules"


def paths_of(value, path=()):
    yield path
    yield (*path, "absent")
    yield (*path, 99)
    if isinstance(value, dict):
        for key, item in value.items():
            yield from paths_of(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from paths_of(item, (*path, index))


def assert_same_places(text):
    """Compare each document's own answer with that of one that has a tree from the start."""
    known = 0
    for document in load(text, name="a"):
        raw = document._text
        tree = Document(
            document.value,
            name="a",
            index=0,
            text=raw,
            first_line=document.first_line,
            root=compose(raw),
        )
        outline = Outline(raw.decode())
        for path in paths_of(document.value):
            assert tree.locate(path, key=True) == document.locate(path, key=True), path
            try:
                outline.key_place(document.value, path)
                known += 1
            except UnusualError:
                pass
    return known


@pytest.mark.parametrize("number", range(8))
def test_places_in_generated_manifests(number):
    known = sum(assert_same_places(text) for text in corpus.manifests(25, seed=number))
    assert known > 1000


def test_places_in_written_manifests():
    for path in sorted(RULE_FIXTURES.glob("*/*.yaml"))[:60]:
        assert assert_same_places(path.read_bytes())


CASES = {
    "a list in the column of its key": "a:\n- x: 1\n  y: 2\n- z\nb: 3\n",
    "a list of lines": "- a\n- b: 1\n  c:\n    d: 2\n",
    "a dash alone": "a:\n-\n  x: 1\n-\n  y: 2\n",
    "text with what looks like keys": "a: |\n  b: 1\n  # no comment\nb: 2\n",
    "comments and blank lines": "# a: 1\n\na: # why\n  # b: 1\n  b: 2 # c\n\nc: 3\n",
    "quoted keys": "\"a.b/c\": 1\n'd': {e: 1}\n",
    "brackets": "a: [1, 2]\nb: {c: 3}\n",
    "keys that are no strings": "yes: 1\nno: 2\n",
    "nothing below a key": "a:\nb:\n  c:\n",
}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_places_in(text):
    assert_same_places(text)
