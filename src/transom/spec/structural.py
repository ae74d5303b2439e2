"""A declared document as a structural schema: what an API server takes in a CustomResourceDefinition.

Every field has one type there, and keywords such as `propertyNames` or `dependentRequired` are not
allowed: what they say becomes rules in CEL, each with its message. Lists, maps and texts are
bounded, because a server estimates what a rule costs at the most and refuses one that could be dear.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from transom.model.records import dataclass
from transom.spec.shape import (
    Count,
    Flag,
    Free,
    Items,
    Number,
    Object,
    Shape,
    Table,
    Text,
    Union,
)
from transom.spec.structural_text import pattern, text_schema
from transom.spec.syntax import Syntax

_LARGEST_INT32 = 2**31 - 1
_MOST_ITEMS = 256
_MOST_PROPERTIES = 64
# Words that CEL keeps to itself; a field of such a name is written with underscores.
_RESERVED = frozenset(
    [
        "true",
        "false",
        "null",
        "in",
        "as",
        "break",
        "const",
        "continue",
        "else",
        "for",
        "function",
        "if",
        "import",
        "let",
        "loop",
        "package",
        "namespace",
        "return",
        "var",
        "void",
        "while",
    ]
)

Rule = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What a cluster wants of a declaration that was made for files too.

    `left_out` are keys that mean something on a person's machine only, `immutable` those that are
    not changed once they are set, by their dotted paths below the document. Objects with a title in
    `inherited` hold what differs from a level above: a default there would hide that level.
    """

    left_out: frozenset[str] = frozenset()
    immutable: frozenset[str] = frozenset()
    inherited: frozenset[str] = frozenset()


def structural(shape: Shape, path: str, choices: Choices) -> dict[str, Any]:
    """The schema of a shape that stands at that path."""
    return _Renderer(choices).schema(shape, path, defaults=True)


@dataclass(frozen=True, slots=True)
class _Renderer:
    choices: Choices

    def schema(self, shape: Shape, path: str, *, defaults: bool) -> dict[str, Any]:
        schema = self._typed(shape, path, defaults=defaults)
        schema["description"] = _description(shape)
        if defaults and (default := literal(shape)) is not None:
            schema["default"] = default
        return schema

    def _typed(self, shape: Shape, path: str, *, defaults: bool) -> dict[str, Any]:
        schema: dict[str, Any]
        match shape:
            case Text():
                schema = text_schema(shape)
            case Number():
                form = "int32" if shape.maximum <= _LARGEST_INT32 else "int64"
                schema = {"type": "integer", "format": form}
                schema |= {"minimum": shape.minimum, "maximum": shape.maximum}
            case Count():
                schema = {
                    "anyOf": [{"type": "integer"}, {"type": "string"}],
                    "x-kubernetes-int-or-string": True,
                    "minimum": 1,
                    "maximum": _LARGEST_INT32,
                    "pattern": "^([1-9][0-9]?|100)%$",
                    "maxLength": 4,
                }
            case Flag():
                schema = {"type": "boolean"} | ({"enum": [True]} if shape.only_true else {})
            case Items():
                schema = self._items(shape, path, defaults=defaults)
            case Table():
                of = self.schema(shape.of, f"{path}.*", defaults=defaults)
                schema = {
                    "type": "object",
                    "additionalProperties": of,
                    "maxProperties": _MOST_PROPERTIES,
                    "x-kubernetes-validations": [_keys(shape.keys)],
                }
            case Free():
                schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
            case Object():
                schema = self._object(shape, path, defaults=defaults)
        return schema

    def _items(self, shape: Items, path: str, *, defaults: bool) -> dict[str, Any]:
        schema: dict[str, Any] = {
            "type": "array",
            "maxItems": _MOST_ITEMS,
            "items": self.schema(shape.of, f"{path}[]", defaults=defaults),
            "x-kubernetes-list-type": "atomic",
        }
        if shape.least:
            schema["minItems"] = shape.least
        if shape.by:
            schema["x-kubernetes-list-type"] = "map"
            schema["x-kubernetes-list-map-keys"] = list(shape.by)
        return schema

    def _object(self, shape: Object, path: str, *, defaults: bool) -> dict[str, Any]:
        below = defaults and shape.title not in self.choices.inherited
        keys = {
            key: self.schema(of, f"{path}.{key}", defaults=below)
            for key, of in shape.keys.items()
            if f"{path}.{key}" not in self.choices.left_out
        }
        schema: dict[str, Any] = {"type": "object", "properties": keys}
        if required := [key for key in shape.required if key in keys]:
            schema["required"] = required
        rules = [*_rules(shape), *self._immutable(path, keys, required)]
        if rules:
            schema["x-kubernetes-validations"] = rules
        return schema

    def _immutable(self, path: str, keys: Mapping[str, Any], required: list[str]) -> Iterator[Rule]:
        for key in keys:
            if f"{path}.{key}" not in self.choices.immutable:
                continue
            now, before = f"self.{_name(key)}", f"oldSelf.{_name(key)}"
            same = f"{now} == {before}"
            if key not in required:
                same = f"!has({before}) || (has({now}) && {same})"
            yield {"rule": same, "message": f"{key} does not change once it is set"}


def literal(shape: Shape) -> Any:
    """The default of a shape as a value; None where it is told in words only."""
    if isinstance(shape, Items | Table | Free | Object) or not shape.default:
        return None
    text = shape.default.strip("`")
    match shape:
        case Text():
            quoted = shape.default == f"`{text}`"
            return text if quoted and (not shape.choices or text in shape.choices) else None
        case Flag():
            return {"true": True, "false": False}.get(text)
        case Number() | Count():
            return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else None


def _description(shape: Shape) -> str:
    """The words that `kubectl explain` prints; a default that is no value is told there."""
    parts = [shape.about]
    if isinstance(shape, Text) and shape.syntax is not None and shape.syntax.name != "text":
        parts.append(f"It is {shape.syntax.wanted}.")
    if isinstance(shape, Table):
        parts.append(f"Each key is {shape.keys.wanted}.")
    if shape.default and literal(shape) is None:
        parts.append(f"If left out: {shape.default}.")
    return " ".join(part for part in parts if part)


def _keys(syntax: Syntax) -> Rule:
    expression = json.dumps(f"^(?:{pattern(syntax)})$")
    return {
        "rule": f"self.all(key, key.matches({expression}))",
        "message": f"each key must be {syntax.wanted}",
    }


def _rules(shape: Object) -> Iterator[Rule]:
    if shape.exactly_one:
        yield {
            "rule": f"{_given(shape.exactly_one)} == 1",
            "message": f"exactly one of {_and(shape.exactly_one)} is needed",
        }
    if shape.at_least_one:
        yield {
            "rule": " || ".join(f"has(self.{_name(key)})" for key in shape.at_least_one),
            "message": f"at least one of {_and(shape.at_least_one)} is needed",
        }
    for first, second in shape.not_both:
        yield {
            "rule": f"!(has(self.{_name(first)}) && has(self.{_name(second)}))",
            "message": f"{first} and {second} exclude each other",
        }
    for key, needs in shape.needs.items():
        for needed in needs:
            yield {
                "rule": f"!has(self.{_name(key)}) || has(self.{_name(needed)})",
                "message": f"{key} needs {needed}",
            }
    if shape.union is not None:
        yield from _union(shape.union)


def _union(union: Union) -> Iterator[Rule]:
    """No settings of a type that was not chosen; one rule for each, so that the message names it."""
    typed = "!has(self.type) || " if union.inferred else ""
    for type_, key in union.members.items():
        yield {
            "rule": f"!has(self.{_name(key)}) || {typed}self.type == {json.dumps(type_)}",
            "message": f"{key} is only for type {type_}",
        }
    if union.inferred:
        members = tuple(union.members.values())
        yield {
            "rule": f"{_given(members)} <= 1",
            "message": f"at most one of {_and(members)} is taken",
        }


def _given(keys: tuple[str, ...]) -> str:
    return " + ".join(f"(has(self.{_name(key)}) ? 1 : 0)" for key in keys)


def _and(keys: tuple[str, ...]) -> str:
    return " and ".join(keys)


def _name(key: str) -> str:
    return f"__{key}__" if key in _RESERVED else key
