"""A JSON patch (RFC 6902) on an object: add, replace, remove and test."""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any


def patched(found: Mapping[str, Any], operations: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The object after these operations; raise LookupError or ValueError where one does not fit."""
    result: dict[str, Any] = deepcopy(dict(found))
    for operation in operations:
        *above, last = [
            part.replace("~1", "/").replace("~0", "~")
            for part in str(operation["path"]).split("/")[1:]
        ]
        holder: Any = result
        for key in above:
            holder = holder[int(key)] if isinstance(holder, list) else holder[key]
        _change(holder, last, operation)
    return result


def _change(holder: Any, last: str, operation: Mapping[str, Any]) -> None:
    act, value = operation["op"], deepcopy(operation.get("value"))
    key: Any = last
    if isinstance(holder, list):
        key = len(holder) if last == "-" else int(last)
    if act == "add" and isinstance(holder, list):
        holder.insert(key, value)
    elif act == "add":
        holder[key] = value
    elif act == "replace":
        _ = holder[key]
        holder[key] = value
    elif act == "remove":
        del holder[key]
    elif act == "test" and holder[key] == value:
        return
    else:
        raise ValueError(f"the operation {act!r} at {operation['path']} does not hold")
