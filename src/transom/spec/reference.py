"""The page of every key of the documents, as Markdown made from their declaration.

What people read before the tables is written by hand, in the page itself.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from transom.spec.shape import Count, Flag, Free, Items, Number, Object, Shape, Table, Text

# Everything after this line of the page is generated.
MARK = "<!-- generated from the declaration of the documents; below this line edit nothing -->"


def reference(documents: Sequence[Object], changes: Mapping[str, str] | None = None) -> str:
    """One section for each kind of map, in the order in which they are met.

    `changes` says by path, such as `spec.kubernetes.version`, what a change does to running nodes.
    """
    places: dict[Object, str] = {}
    for document in documents:
        for shape, path in _objects(document, ""):
            places.setdefault(shape, path)
    page = _Page(list(places), places, changes or {})
    return "\n".join(line for shape in places for line in page.section(shape))


def _objects(shape: Shape, path: str) -> Iterator[tuple[Object, str]]:
    match shape:
        case Object():
            yield shape, path
            for key, below in shape.keys.items():
                yield from _objects(below, f"{path}.{key}" if path else key)
        case Items() | Table():
            yield from _objects(shape.of, f"{path}[]")
        case _:
            return


class _Page:
    """The sections, each of which may refer to another."""

    def __init__(
        self, objects: list[Object], places: Mapping[Object, str], changes: Mapping[str, str]
    ) -> None:
        self._objects = objects
        self._places = places
        self._changes = changes

    def section(self, shape: Object) -> Iterator[str]:
        yield f"### {shape.title}\n"
        place = self._places[shape]
        yield f"{shape.about}" + (f" At `{place}`.\n" if place else "\n")
        keys = dict(shape.keys)
        included = self._included(shape)
        if included is not None:
            for key in included.keys:
                del keys[key]
        changes = " a change means |" if self._changes else ""
        yield f"| key | type | left out | example |{changes} about |"
        yield f"|---|---|---|---|{'---|' if self._changes else ''}---|"
        for key, below in keys.items():
            yield self._row(shape, key, below)
        yield ""
        if included is not None:
            yield f"And every key of {_link(included)}.\n"
        yield from _rules(shape)

    def _row(self, shape: Object, key: str, below: Shape) -> str:
        place = self._places[shape]
        path = f"{place}.{key}" if place else key
        change = f" {self._changes.get(path, '')} |" if self._changes else ""
        left_out = "**required**" if key in shape.required else below.default
        return f"| `{key}` | {_value(below)} | {left_out} | {_example(below)} |{change} {below.about} |"

    def _included(self, shape: Object) -> Object | None:
        """An earlier map all of whose keys this one has too, and more."""
        for other in self._objects[: self._objects.index(shape)]:
            if len(other.keys) > 1 and other.keys.items() < shape.keys.items():
                return other
        return None


def _rules(shape: Object) -> Iterator[str]:
    if shape.union is not None:
        pairs = ", ".join(f"`{key}` with `{type_}`" for type_, key in shape.union.members.items())
        yield f"Only the settings of its `type` can be given: {pairs}.\n"
    if shape.exactly_one:
        yield f"Exactly one of {', '.join(f'`{key}`' for key in shape.exactly_one)}.\n"
    for pair in shape.not_both:
        yield f"`{pair[0]}` and `{pair[1]}` exclude each other.\n"
    for key, needs in shape.needs.items():
        yield f"`{key}` needs {' and '.join(f'`{need}`' for need in needs)}.\n"


def _value(shape: Shape) -> str:
    match shape:
        case Text():
            wanted = shape.syntax.wanted if shape.syntax is not None else "text"
            return ", ".join(f"`{choice}`" for choice in shape.choices) or wanted
        case Number():
            return f"{shape.minimum} to {shape.maximum}"
        case Count() | Flag():
            return "a number, or a percentage" if isinstance(shape, Count) else "`true` or `false`"
        case Items():
            return f"list of {_value(shape.of)}"
        case Table():
            return f"map from {shape.keys.wanted} to {_value(shape.of)}"
        case _:
            return _link(shape) if isinstance(shape, Object) else "map"


def _link(shape: Object) -> str:
    return f"[{shape.title}](#{shape.title.lower()})"


def _example(shape: Shape) -> str:
    examples: tuple[Any, ...] = () if isinstance(shape, Flag | Object | Free) else shape.examples
    if isinstance(shape, Free):
        examples = shape.examples
    shown = (each if isinstance(each, str) else json.dumps(each) for each in examples)
    return ", ".join(f"`{text}`" for text in shown).replace("\n", "\\n").replace("|", "\\|")
