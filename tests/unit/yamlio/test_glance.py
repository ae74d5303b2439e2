"""The quick reading and the parser agree wherever the quick one gives a value."""

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

import corpus
from transom.errors import InvalidDocument
from transom.yamlio import loader
from transom.yamlio.glance import glance
from transom.yamlio.scalar import UnreadableScalar
from transom.yamlio.unusual import UnusualError


def refuse_to_glance(_source):
    raise UnusualError


def read_by_the_parser(text):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loader, "glance", refuse_to_glance)
        return [document.value for document in loader.load(text, name="-")]


def check(text):
    with suppress(UnusualError, UnreadableScalar):
        assert json.dumps([glance(text)]) == json.dumps(read_by_the_parser(text))


FRAGMENTS = [
    "a",
    "b",
    "c:",
    "1",
    "yes",
    "0x1f",
    "-",
    "'x'",
    '"y"',
    '"\\n"',
    "#",
    "[f,2]",
    "[f,",
    "2]",
    "{g:",
    "h}",
    "{",
    "]",
    ",",
    "|-",
    "|",
]
fragments = st.sampled_from(
    [*FRAGMENTS, "d: ", "- ", " ", "  ", "\n", "\n  ", "\n\n", "|\n", " # e", ": "]
)


@given(st.lists(fragments, max_size=30).map("".join))
def test_any_text(text):
    check(text + "\n")


def test_damaged_manifests():
    texts = [text for text in corpus.manifests(40) if "---" not in text]
    for text in corpus.mutations(texts, 400):
        if "---" not in text and "\ufeff" not in text:
            with suppress(InvalidDocument):
                check(text)


def test_most_manifests_need_no_parser():
    """Its speed is the loader's: it must not give up on ordinary files."""
    texts = [text for text in corpus.manifests(200) if "---" not in text]
    quick = 0
    for text in texts:
        with suppress(UnusualError):
            glance(text)
            quick += 1
    assert quick > 0.75 * len(texts)


@pytest.mark.parametrize(
    "text",
    [
        "a: 1",
        "a: &x 1\n",
        "a: 1\na: 2\n",
        "a:\tb\n",
        "a: b: c\n",
        "a: 1\n  b: 2\n",
        "a\n",
        "\n",
        "- a\nb: c\n",
    ],
)
def test_give_up_on_what_is_not_plain(text):
    with pytest.raises(UnusualError):
        glance(text)


def _lists(levels):
    return (
        "a:\n" + "".join(" " * level + "-\n" for level in range(1, levels)) + " " * levels + "- 1\n"
    )


def _mappings(levels):
    return "".join(" " * level + "a:\n" for level in range(levels)) + " " * levels + "b: 1\n"


def _brackets(levels):
    return f"a: {'[' * levels}{']' * levels}\n"


def _braces(levels):
    return f"a: {'{a: ' * levels}1{'}' * levels}\n"


@pytest.mark.parametrize("levels", [40, 60, 330, 450, 510, 5000])
@pytest.mark.parametrize("nested", [_lists, _mappings, _brackets, _braces])
def test_what_is_nested_deep_is_left_to_the_parser_and_refused_in_its_words(nested, levels):
    text = nested(levels)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loader, "glance", refuse_to_glance)
        _documents, mistakes = loader.load_what_is_whole(text.encode(), name="deep.yaml")
    assert bool(mistakes) == (levels > 500)
    found, at_a_glance = loader.load_what_is_whole(text.encode(), name="deep.yaml")
    assert at_a_glance == mistakes
    assert len(found) == (0 if mistakes else 1)
