"""Frozen dataclasses and named tuples to plain JSON and back, by their own type hints.

Names are snake_case in Python and camelCase in JSON. Used for every document that leaves the
program: recipes, requests, events, journals. Standard library only: it ships to hosts.
"""

import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


def encode(value: Any) -> Any:
    """A value as JSON types; dataclass fields keep their order, so output is deterministic."""
    if is_dataclass(value) and not isinstance(value, type):
        return {
            camel_case(field.name): encode(getattr(value, field.name)) for field in fields(value)
        }
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): encode(item) for key, item in value.items()}
    if isinstance(value, tuple) and (names := getattr(value, "_fields", ())):
        return {camel_case(name): encode(item) for name, item in zip(names, value, strict=True)}
    if isinstance(value, list | tuple):
        return [encode(item) for item in value]
    return value


def decode(kind: type[T], data: Any, *, path: str = "") -> T:
    """JSON types as a value of that record; raise ValueError naming the path that is wrong."""
    return _decode(kind, data, path or kind.__name__)  # type: ignore[no-any-return]


def camel_case(name: str) -> str:
    """`pod_cidrs` as `podCidrs`."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


@cache
def _field_names(kind: type) -> dict[str, str]:
    """A record's fields by their names in JSON; nothing for what is no record."""
    if is_dataclass(kind):
        return {camel_case(field.name): field.name for field in fields(kind)}
    return {camel_case(name): name for name in getattr(kind, "_fields", ())}


def _decode(hint: Any, data: Any, path: str) -> Any:
    origin = get_origin(hint)
    if origin in (Union, types.UnionType):
        return _decode_union(get_args(hint), data, path)
    if origin is tuple:
        _expect(isinstance(data, list), path, "a list", data)
        item = get_args(hint)[0]
        return tuple(_decode(item, value, f"{path}[{n}]") for n, value in enumerate(data))
    if origin is not None and issubclass(origin, Mapping):
        _expect(isinstance(data, dict), path, "an object", data)
        item = get_args(hint)[1]
        return {key: _decode(item, value, f"{path}.{key}") for key, value in data.items()}
    return data if hint is Any else _decode_plain(hint, data, path)


def _decode_plain(kind: type, data: Any, path: str) -> Any:
    if names := _field_names(kind):
        return _decode_fields(kind, names, data, path)
    if issubclass(kind, Enum):
        _expect(data in [member.value for member in kind], path, f"a {kind.__name__}", data)
        return kind(data)
    fits = isinstance(data, kind) and (kind is bool or not isinstance(data, bool))
    _expect(fits, path, kind.__name__, data)
    return data


def _decode_union(options: tuple[Any, ...], data: Any, path: str) -> Any:
    if data is None and type(None) in options:
        return None
    hints = [option for option in options if option is not type(None)]
    if len(hints) == 1:
        return _decode(hints[0], data, path)
    _expect(isinstance(data, tuple(hints)), path, " or ".join(h.__name__ for h in hints), data)
    return data


def _decode_fields(kind: type, names: Mapping[str, str], data: Any, path: str) -> Any:
    _expect(isinstance(data, dict), path, "an object", data)
    unknown = sorted(set(data) - set(names))
    if unknown:
        raise ValueError(f"{path} has unknown keys: {', '.join(unknown)}")
    hints = _hints(kind)
    values = {
        names[key]: _decode(hints[names[key]], value, f"{path}.{key}")
        for key, value in data.items()
    }
    try:
        return kind(**values)
    except TypeError as error:
        raise ValueError(f"{path}: {error}") from error


def _expect(fits: bool, path: str, wanted: str, found: Any) -> None:  # noqa: FBT001 - a condition
    if not fits:
        raise ValueError(f"{path} must be {wanted}, not {type(found).__name__}")
