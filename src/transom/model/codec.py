"""Frozen dataclasses and named tuples to plain JSON and back, by their own type hints.

Names are snake_case in Python and camelCase in JSON. Used for every document that leaves the
program: recipes, requests, events, journals. Standard library only: it ships to hosts.
"""

import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from transom.model import api_versions

T = TypeVar("T")
_PLAIN = frozenset({str, int, float, bool, type(None)})


def encode(value: Any) -> Any:
    """A value as JSON types; dataclass fields keep their order, so output is deterministic."""
    kind: type = type(value)
    if kind in _PLAIN:
        return value
    if kind is tuple or kind is list:
        return [encode(item) for item in value]
    if names := _field_names(kind):
        return {key: encode(getattr(value, name)) for key, name in names.items()}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    return [encode(item) for item in value] if isinstance(value, list | tuple) else value


def decode(kind: type[T], data: Any, *, path: str = "") -> T:
    """JSON types as a value of that record; raise ValueError naming the path that is wrong.

    A document of another version, here or below, raises UnknownVersionError; one of an older version
    that is still read becomes what is written today.
    """
    hint: Any = kind
    try:
        return _decoder(hint)(data)  # type: ignore[no-any-return]
    except _MismatchError as error:
        where = "".join(reversed(error.steps))
        raise error.kind(f"{path or kind.__name__}{where}{error.said}") from None


@cache
def camel_case(name: str) -> str:
    """`pod_cidrs` as `podCidrs`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


class _MismatchError(Exception):
    """What is wrong; each level that it passes adds its step of the path."""

    def __init__(self, said: str, kind: type[ValueError] = ValueError) -> None:
        super().__init__(said)
        self.said = said
        self.kind = kind
        self.steps: list[str] = []

    def below(self, step: str) -> "_MismatchError":
        self.steps.append(step)
        return self


@cache
def _field_names(kind: type) -> dict[str, str]:
    """A record's fields by their names in JSON; nothing for what is no record."""
    if is_dataclass(kind):
        return {camel_case(field.name): field.name for field in fields(kind)}
    return {camel_case(name): name for name in getattr(kind, "_fields", ())}


@cache
def _decoder(hint: Any) -> Callable[[Any], Any]:
    """The reader of a type, made once: answers from many hosts are read by the same few."""
    origin = get_origin(hint)
    if hint is Any:
        return lambda data: data
    if origin in (Union, types.UnionType):
        return _union(get_args(hint))
    if origin is tuple:
        return _tuple(get_args(hint)[0])
    if origin is not None and issubclass(origin, Mapping):
        return _mapping(get_args(hint)[1])
    if _field_names(hint):
        return _record(hint)
    return _enum(hint) if issubclass(hint, Enum) else _scalar(hint)


def _tuple(hint: Any) -> Callable[[Any], Any]:
    item = _decoder(hint)

    def read(data: Any) -> Any:
        if not isinstance(data, list):
            raise _mismatch("a list", data)
        found: list[Any] = []
        try:
            found.extend(item(value) for value in data)
        except _MismatchError as error:
            raise error.below(f"[{len(found)}]") from None
        return tuple(found)

    return read


def _mapping(hint: Any) -> Callable[[Any], Any]:
    item = _decoder(hint)

    def read(data: Any) -> Any:
        if not isinstance(data, dict):
            raise _mismatch("an object", data)
        found = {}
        for key, value in data.items():
            try:
                found[key] = item(value)
            except _MismatchError as error:
                raise error.below(f".{key}") from None
        return found

    return read


def _record(kind: type) -> Callable[[Any], Any]:
    names, hints = _field_names(kind), get_type_hints(kind)
    document = _document_kind(kind)
    known: dict[str, tuple[str, Callable[[Any], Any]]] = {}

    def read(data: Any) -> Any:
        if not known:  # not before: a record may hold records of its own type
            known.update({key: (name, _decoder(hints[name])) for key, name in names.items()})
        if not isinstance(data, dict):
            raise _mismatch("an object", data)
        if document:
            data = _as_today(document, data)
        if not data.keys() <= known.keys():
            unknown = ", ".join(sorted(set(data) - set(known)))
            raise _MismatchError(f" has unknown keys: {unknown}")
        values = {}
        for key, value in data.items():
            name, item = known[key]
            try:
                values[name] = item(value)
            except _MismatchError as error:
                raise error.below(f".{key}") from None
        try:
            return kind(**values)
        except TypeError as error:
            raise _MismatchError(f": {error}") from error

    return read


def _document_kind(kind: type) -> str:
    """The kind of a record that says which document it is; empty where it does not."""
    if not is_dataclass(kind):
        return ""
    defaults = {field.name: field.default for field in fields(kind)}
    said = defaults.get("kind")
    return said if isinstance(said, str) and isinstance(defaults.get("api_version"), str) else ""


def _as_today(kind: str, data: dict[str, Any]) -> dict[str, Any]:
    """A document as the version that is written today, before anything else of it is looked at."""
    try:
        api_versions.check(kind, data)
    except api_versions.UnknownVersionError as error:
        raise _MismatchError(f" {error}", api_versions.UnknownVersionError) from None
    return {**data, "apiVersion": api_versions.written(kind)} if "apiVersion" in data else data


def _enum(kind: type[Enum]) -> Callable[[Any], Any]:
    members = {member.value: member for member in kind}

    def read(data: Any) -> Any:
        try:
            return members[data]
        except (KeyError, TypeError):
            raise _mismatch(f"a {kind.__name__}", data) from None

    return read


def _scalar(kind: type) -> Callable[[Any], Any]:
    def read(data: Any) -> Any:
        if isinstance(data, kind) and (kind is bool or not isinstance(data, bool)):
            return data
        raise _mismatch(kind.__name__, data)

    return read


def _union(options: tuple[Any, ...]) -> Callable[[Any], Any]:
    hints = tuple(option for option in options if option is not type(None))
    or_none = len(hints) < len(options)
    only = _decoder(hints[0]) if len(hints) == 1 else None

    def read(data: Any) -> Any:
        if data is None and or_none:
            return None
        if only is not None:
            return only(data)
        if not isinstance(data, hints):
            raise _mismatch(" or ".join(hint.__name__ for hint in hints), data)
        return data

    return read


def _mismatch(wanted: str, found: Any) -> _MismatchError:
    return _MismatchError(f" must be {wanted}, not {type(found).__name__}")
