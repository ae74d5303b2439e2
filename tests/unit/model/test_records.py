"""Records are what Python's own frozen dataclasses are; only their methods come later."""

import copy
import dataclasses
import pickle
from dataclasses import field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.model import records


def both(*, slots, kw_only):
    """The same class by Python and by us."""

    def made(decorate):
        class Host:
            """A host."""

            name: str
            ports: tuple[int, ...] = (22,)
            labels: dict[str, str] = field(default_factory=dict)
            note: str = field(default="", repr=False, compare=False)

        return decorate(frozen=True, slots=slots, kw_only=kw_only)(Host)

    return made(dataclasses.dataclass), made(records.dataclass)


SHAPES = [{"slots": slots, "kw_only": kw_only} for slots in (0, 1) for kw_only in (0, 1)]
VALUES = st.fixed_dictionaries(
    {"name": st.text()},
    optional={
        "ports": st.tuples(st.integers()),
        "labels": st.dictionaries(st.text(), st.text()),
        "note": st.text(),
    },
)


@pytest.mark.parametrize("shape", SHAPES)
@given(first=VALUES, second=VALUES)
def test_records_are_made_compared_shown_and_replaced_as_dataclasses_are(shape, first, second):
    theirs, ours = both(**shape)
    for change in (first, second):
        assert dataclasses.asdict(theirs(**change)) == dataclasses.asdict(ours(**change))
        assert repr(theirs(**change)) == repr(ours(**change))
        replaced = dataclasses.replace(ours(**first), **change)
        assert dataclasses.asdict(replaced) == dataclasses.asdict(
            dataclasses.replace(theirs(**first), **change)
        )
    assert (ours(**first) == ours(**second)) == (theirs(**first) == theirs(**second))
    assert ours(**first) != theirs(**first)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_value_that_is_missing_unknown_or_given_twice_is_refused(shape):
    _, ours = both(**shape)
    for _ in range(2):  # before and after the first was made
        with pytest.raises(TypeError, match="name"):
            ours()
        with pytest.raises(TypeError, match="colour"):
            ours(name="win-01", colour="red")
    if not shape["kw_only"]:
        assert ours("win-01", (1,)) == ours(name="win-01", ports=(1,))
        with pytest.raises(TypeError, match="name"):
            ours("win-01", name="win-02")


@pytest.mark.parametrize("shape", SHAPES)
def test_a_record_cannot_be_changed(shape):
    _, ours = both(**shape)
    record = ours(name="win-01")
    with pytest.raises(dataclasses.FrozenInstanceError):
        record.name = "win-02"
    with pytest.raises(dataclasses.FrozenInstanceError):
        del record.name
    assert record.name == "win-01"


@pytest.mark.parametrize("shape", SHAPES)
def test_factories_give_every_record_its_own_value(shape):
    _, ours = both(**shape)
    assert ours(name="a").labels is not ours(name="a").labels


@records.dataclass(frozen=True, slots=True)
class Pair:
    """Two values; known by its module, so that it can be pickled."""

    left: int
    right: tuple[int, ...]

    def __post_init__(self):
        if self.left < 0:
            raise ValueError("left")


@records.dataclass(frozen=True, slots=True)
class Empty:
    """Nothing."""


def test_equal_records_have_one_hash_and_survive_copies():
    pair = Pair(1, (2,))
    assert {pair: "here"}[Pair(1, (2,))] == "here"
    assert pickle.loads(pickle.dumps(pair)) == copy.deepcopy(pair) == pair  # noqa: S301 - our own
    assert Empty() == Empty()
    assert hash(Empty()) == hash(Empty())
    assert Pair.__match_args__ == ("left", "right")


def test_what_a_class_does_after_it_was_made_is_done():
    for _ in range(2):
        with pytest.raises(ValueError, match="left"):
            Pair(-1, ())


def test_methods_of_a_class_stay_its_own():
    @records.dataclass(frozen=True)
    class Name:
        """A name without regard to its case."""

        text: str

        def __eq__(self, other):
            return isinstance(other, Name) and other.text.lower() == self.text.lower()

        def __hash__(self):
            return hash(self.text.lower())

        def __repr__(self):
            return self.text

    assert Name("WIN") == Name("win")
    assert repr(Name("WIN")) == "WIN"
    assert len({Name("WIN"), Name("win")}) == 1
