"""A record is a frozen value with named columns, like a dataclass and without its cost."""

from dataclasses import dataclass
from typing import ClassVar

import pytest

from transom.facts.record import Record


class Fruit(Record):
    """What is tested here."""

    table: ClassVar[str] = "fruit"

    name: str
    seeds: int = 0


class Citrus(Fruit):
    """A record that has more columns."""

    sour: bool


def test_columns_are_those_declared_and_those_inherited():
    assert Citrus.columns == ("name", "seeds", "sour")
    assert Citrus.defaults() == {"seeds": 0}


def test_a_column_with_a_default_may_be_left_out_and_no_other():
    assert Fruit(name="apple").seeds == 0
    with pytest.raises(TypeError, match="needs \\['name'\\]"):
        Fruit(seeds=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="no \\['colour'\\]"):
        Fruit(name="apple", colour="red")  # type: ignore[call-arg]


def test_records_are_equal_by_their_values_and_their_type():
    assert Fruit(name="apple") == Fruit(name="apple", seeds=0)
    assert hash(Fruit(name="apple")) == hash(Fruit(name="apple", seeds=0))
    assert Fruit(name="apple") != Fruit(name="pear")
    assert Fruit(name="lemon") != Citrus(name="lemon", sour=True)
    assert repr(Fruit(name="apple")) == "Fruit(name='apple', seeds=0)"


def test_a_record_cannot_be_changed():
    with pytest.raises(AttributeError, match="cannot be changed"):
        Fruit(name="apple").name = "pear"  # type: ignore[misc]


def test_a_record_is_not_declared_as_a_dataclass():
    with pytest.raises(TypeError, match="without @dataclass"):

        @dataclass(slots=True)
        class Berry(Fruit):  # type: ignore[misc]
            ripe: bool
