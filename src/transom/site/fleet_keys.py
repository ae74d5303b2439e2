"""The keys of the Fleet document, told to a person: type, what it is for, and what a change of it does to nodes.

Made of the document's declaration and of `spec/changes.json`, which the generator finds by trying.
"""

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

from transom.facts.describe import Explanation
from transom.spec.shape import Items, Object, Shape, Table
from transom.spec.shapes.document import FLEET

PREFIX = "fleet."
_EACH = "[]"


def changes() -> dict[str, str]:
    """By key, such as `spec.pools[].name`, what a change of it does to running nodes."""
    text = files("transom").joinpath("spec/changes.json").read_text("utf-8")
    return {path: str(row["text"]) for path, row in json.loads(text).items()}


def fleet_keys() -> Iterator[Explanation]:
    """Every key, by its path behind `fleet.`; the entries of a list have none of their own."""
    known = changes()
    for path, shape, is_required in _keys(FLEET, ""):
        bare = path.replace(_EACH, "")
        yield Explanation(
            id=f"{PREFIX}{bare}",
            kind=f"key of the Fleet document, {'required' if is_required else 'optional'}",
            title=_type(shape),
            what=(shape.about,),
            why=_left_out(shape),
            do=_examples(shape),
            note=f"A change: {known[path]}" if path in known else "",
        )


def _keys(shape: Shape, path: str) -> Iterator[tuple[str, Shape, bool]]:
    if isinstance(shape, Items | Table):
        yield from _keys(shape.of, f"{path}{_EACH}")
    elif isinstance(shape, Object):
        for key, below in shape.keys.items():
            inside = f"{path}.{key}" if path else key
            yield inside, below, key in shape.required
            yield from _keys(below, inside)


def _type(shape: Any) -> str:
    kind = type(shape).__name__
    if isinstance(shape, Items):
        return f"list of {_type(shape.of)}"
    if isinstance(shape, Object):
        return f"map of {', '.join(shape.keys)}"
    if kind == "Text":
        wanted = shape.syntax.wanted if shape.syntax is not None else "text"
        return " | ".join(shape.choices) or str(wanted)
    if kind == "Number":
        return f"number from {shape.minimum} to {shape.maximum}"
    return {"Flag": "true or false", "Count": "number or percentage"}.get(kind, "map")


def _left_out(shape: Any) -> str:
    default = str(getattr(shape, "default", "")).replace("`", "")
    return f"Left out: {default}." if default else ""


def _examples(shape: Any) -> str:
    found = getattr(shape, "examples", ())
    shown = (item if isinstance(item, str) else json.dumps(item) for item in found)
    return f"For example {', '.join(shown)}." if found else ""
