"""The changes that can be made to a document, and what each does to its plain value.

The value is changed beside the text, so that the text can be proven to mean just that.
"""

from typing import Any

from transom.model.records import dataclass

ObjectPath = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Remove:
    """Take away a key; the last key of a mapping leaves `{}`."""

    path: ObjectPath


@dataclass(frozen=True, slots=True)
class Replace:
    """Give an existing scalar another value."""

    path: ObjectPath
    value: str | int | bool


@dataclass(frozen=True, slots=True)
class Rename:
    """Give a key another name, and keep its value."""

    path: ObjectPath
    name: str


@dataclass(frozen=True, slots=True)
class Set:
    """Add a key, and the mappings on the way to it; a scalar that is there is replaced."""

    path: ObjectPath
    value: Any


@dataclass(frozen=True, slots=True)
class Append:
    """Add an item to a list, and the list where it is missing."""

    path: ObjectPath
    value: Any


Edit = Remove | Replace | Rename | Set | Append


def change(value: Any, edit: Edit) -> Any:
    """The value after a change; what does not change is shared with the value before."""
    match edit:
        case Remove(path):
            return _at(value, path[:-1], lambda owner: _without(owner, path[-1]))
        case Rename(path, name):
            return _at(value, path[:-1], lambda owner: _renamed(owner, path[-1], name))
        case Replace(path, wanted) | Set(path, wanted):
            return _at(value, path, lambda _: wanted)
        case Append(path, item):
            return _at(value, path, lambda items: [*(items or ()), item])


def _at(value: Any, path: ObjectPath, act: Any) -> Any:
    if not path:
        return act(value)
    step, rest = path[0], path[1:]
    if isinstance(step, int):
        return [_at(item, rest, act) if step == n else item for n, item in enumerate(value)]
    owner = {} if value is None else value
    return {**owner, step: _at(owner.get(step), rest, act)}


def _without(owner: Any, key: str | int) -> Any:
    return {name: value for name, value in owner.items() if name != key}


def _renamed(owner: Any, key: str | int, name: str) -> Any:
    return {name if old == key else old: value for old, value in owner.items()}
