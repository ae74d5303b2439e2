"""Who owns which field of an object, as server-side apply keeps it. A list is one field here.

The server's own merges lists by their keys (containers by name); Transom applies whole lists.
"""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from typing import Any

Path = tuple[str, ...]
Object = dict[str, Any]

# What names an object, and what only the server writes.
_NOT_OWNED = frozenset(
    {
        ("apiVersion",),
        ("kind",),
        *(
            ("metadata", name)
            for name in (
                *("name", "namespace", "uid", "resourceVersion", "creationTimestamp"),
                "managedFields",
            )
        ),
    }
)


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every field of an object with its value."""
    if isinstance(value, Mapping) and (value or not path):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif path not in _NOT_OWNED:
        yield path, value


def get(value: Any, path: Path) -> Any:
    """The value of a field; None where it is missing."""
    for key in path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


class Fields:
    """The owners of an object's fields."""

    def __init__(self) -> None:
        self._owners: dict[Path, set[str]] = {}

    def copy(self) -> "Fields":
        """As they are now."""
        copied = Fields()
        copied._owners = {path: set(owners) for path, owners in self._owners.items()}
        return copied

    def own(self, path: Path, manager: str) -> None:
        """Give a field to a manager; empty where nobody wrote down who set it."""
        self._owners[path] = {manager} if manager else set()

    def managed(self) -> list[Object]:
        """Who owns what, as the server tells it."""
        told: dict[str, Object] = {}
        for path, owners in self._owners.items():
            for manager in owners:
                _put(told.setdefault(manager, {}), tuple(f"f:{key}" for key in path), {})
        return [{"manager": manager, "fieldsV1": fields} for manager, fields in told.items()]

    def written(self, manager: str, before: Object, after: Object) -> None:
        """Give every field that a write changed to its writer."""
        was, now = dict(leaves(before)), dict(leaves(after))
        self._owners = {path: owners for path, owners in self._owners.items() if path in now}
        for path, value in now.items():
            if path not in was or was[path] != value:
                self._owners[path] = {manager}

    def disputed(self, manager: str, manifest: Mapping[str, Any], live: Object) -> dict[Path, str]:
        """The fields that others own with other values, and one of those owners."""
        found = {}
        for path, value in leaves(manifest):
            others = sorted(self._owners.get(path, set()) - {manager})
            if others and get(live, path) != value:
                found[path] = others[0]
        return found

    def applied(self, manager: str, manifest: Mapping[str, Any], live: Object) -> Object:
        """The object after an apply: what its manager no longer says goes, unless others own it."""
        merged = deepcopy(live)
        said = dict(leaves(manifest))
        for path, owners in list(self._owners.items()):
            if manager in owners and path not in said:
                owners.discard(manager)
                if not owners:
                    del self._owners[path]
                    _remove(merged, path)
        for path, value in said.items():
            if get(merged, path) != value:
                self._owners[path] = set()
            self._owners.setdefault(path, set()).add(manager)
            _put(merged, path, deepcopy(value))
        return merged


def _put(merged: Object, path: Path, value: Any) -> None:
    for key in path[:-1]:
        below = merged.get(key)
        if not isinstance(below, dict):
            below = merged[key] = {}
        merged = below
    merged[path[-1]] = value


def _remove(merged: Object, path: Path) -> None:
    """Take a field away, and what is empty without it."""
    above = [merged]
    for key in path[:-1]:
        below = above[-1].get(key)
        if not isinstance(below, dict):
            return
        above.append(below)
    for key, holder in zip(reversed(path), reversed(above), strict=True):
        if key == path[-1] or holder.get(key) == {}:
            holder.pop(key, None)


def merged(live: Any, change: Any) -> Any:
    """A merge patch (RFC 7396) on a value."""
    if not isinstance(change, Mapping):
        return deepcopy(change)
    result = dict(live) if isinstance(live, Mapping) else {}
    for key, value in change.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result
