"""How a document is declared: once, as a tree of shapes.

From one declaration come the JSON Schema (`schema`), the page of every key (`reference`), the
reading of scalars as written and the model's values (`build`). A shape knows neither files nor
positions, and nothing here knows which document it describes.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from transom.spec.syntax import Syntax

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Text:
    """A text, in every YAML reader.

    `unshown` keeps a wrong value out of messages, where people may by mistake write a secret
    itself. `numeric` is of v1alpha1 only: there an unquoted number was taken as the text written.
    """

    about: str
    default: str = ""
    syntax: Syntax | None = None
    choices: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    numeric: bool = False
    unshown: bool = False
    make: Callable[[str], Any] = str


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Number:
    """A whole number within bounds."""

    about: str
    default: str = ""
    minimum: int
    maximum: int
    examples: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Count:
    """A whole number of at least one, or a percentage: what Kubernetes calls int-or-string."""

    about: str
    default: str = ""
    examples: tuple[int | str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Flag:
    """True or false; `only_true` where leaving it out is the only other answer."""

    about: str
    default: str = ""
    only_true: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Items:
    """A list of one kind of thing; `by` are the keys that tell its maps apart, each combination once."""

    about: str
    of: "Shape"
    default: str = ""
    by: tuple[str, ...] = ()
    least: int = 0
    examples: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Table:
    """A map whose keys people choose."""

    about: str
    keys: Syntax
    of: "Shape"
    default: str = ""
    examples: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Free:
    """A map that Kubernetes defines; what is in it is checked elsewhere."""

    about: str
    default: str = ""
    examples: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Union:
    """Which key of a map belongs to which value of its discriminator, `type`.

    Where `inferred`, a map that has the settings of one member needs no `type`.
    """

    members: Mapping[str, str]
    inferred: bool = False

    def type_of(self, value: Mapping[str, Any]) -> str | None:
        """The type that a value says, or whose settings it has."""
        if "type" in value:
            return str(value["type"])
        return next((type_ for type_, key in self.members.items() if key in value), None)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Object:
    """A map with known keys.

    `exactly_one` and `at_least_one` name keys of which so many must be given, `not_both` pairs
    that exclude each other, `needs` the keys another one cannot do without, and `union` the keys
    that only one `type` has. `extensible` maps take keys that begin with `x-`, which nobody reads.
    `make` gets the keys present, in snake_case.
    """

    title: str
    about: str
    keys: Mapping[str, "Shape"]
    default: str = ""
    make: Callable[..., Any] = dict
    required: tuple[str, ...] = ()
    exactly_one: tuple[str, ...] = ()
    at_least_one: tuple[str, ...] = ()
    not_both: tuple[tuple[str, str], ...] = ()
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    union: Union | None = None
    extensible: bool = False


Shape = Text | Number | Count | Flag | Items | Table | Free | Object
EXTENSION = "x-"


def attribute(key: str) -> str:
    """The model's name of a document's key: `pod_cidrs` of `podCIDRs`."""
    return _HUMP.sub("_", key).lower()


def build(shape: Shape, value: Any) -> Any:
    """Make the model's value of a valid document's value."""
    match shape:
        case Text():
            return shape.make(value)
        case Number():
            return int(value)
        case Items():
            return tuple(build(shape.of, item) for item in value)
        case Table():
            return {key: build(shape.of, item) for key, item in value.items()}
        case Object():
            parts = {
                attribute(key): build(shape.keys[key], item)
                for key, item in value.items()
                if key in shape.keys
            }
            return shape.make(**parts)
        case Flag() | Free() | Count():
            return value


def merge(shape: Shape, base: Any, over: Any) -> Any:
    """Lay `over` on `base`: maps merge, lists and scalars replace.

    Where the shape wants exactly one of some keys, the choice in `over` replaces the one in `base`;
    so does a union of another type.
    """
    if not isinstance(base, dict) or not isinstance(over, dict):
        return over
    if isinstance(shape, Object) and shape.union is not None:
        type_ = shape.union.type_of(over)
        if type_ is not None and type_ != (shape.union.type_of(base) or type_):
            return over
    merged = dict(base)
    if isinstance(shape, Object) and any(key in over for key in shape.exactly_one):
        for key in shape.exactly_one:
            if key not in over:
                merged.pop(key, None)
    for key, value in over.items():
        merged[key] = merge(_below(shape, key), base[key], value) if key in base else value
    return merged


def _below(shape: Shape, key: str) -> Shape:
    match shape:
        case Object():
            return shape.keys.get(key, _FREE)
        case Table():
            return shape.of
        case _:
            return _FREE


_FREE = Free(about="")
