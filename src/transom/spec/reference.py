"""The page of every key of a document, as Markdown made from its declaration.

What people read before the tables is written by hand, in the page itself.
"""

import json
from collections.abc import Iterator
from typing import Any

from transom.spec.shape import Flag, Free, Items, Number, Object, Shape, Table, Text

# Everything after this line of the page is generated.
MARK = "<!-- generated from the declaration of the document; below this line edit nothing -->"


def reference(document: Object) -> str:
    """One section for each kind of map, in the order in which they are met."""
    objects = list(dict.fromkeys(_objects(document)))
    return "\n".join(line for shape in objects for line in _section(shape, objects))


def _objects(shape: Shape) -> Iterator[Object]:
    match shape:
        case Object():
            yield shape
            for below in shape.keys.values():
                yield from _objects(below)
        case Items() | Table():
            yield from _objects(shape.of)
        case _:
            return


def _section(shape: Object, objects: list[Object]) -> Iterator[str]:
    yield f"### {shape.title}\n"
    yield f"{shape.about}\n"
    keys = dict(shape.keys)
    included = _included(shape, objects)
    if included is not None:
        for key in included.keys:
            del keys[key]
    yield "| key | value | about |"
    yield "|---|---|---|"
    for key, below in keys.items():
        required = " **required**" if key in shape.required else ""
        yield f"| `{key}` | {_value(below)}{required} | {_about(below)} |"
    yield ""
    if included is not None:
        yield f"And every key of {_link(included)}.\n"
    for pair in shape.not_both:
        yield f"`{pair[0]}` and `{pair[1]}` exclude each other.\n"
    for key, needs in shape.needs.items():
        yield f"`{key}` needs {' and '.join(f'`{need}`' for need in needs)}.\n"


def _included(shape: Object, objects: list[Object]) -> Object | None:
    """An earlier map all of whose keys this one has too, and more."""
    for other in objects[: objects.index(shape)]:
        if len(other.keys) > 1 and other.keys.items() < shape.keys.items():
            return other
    return None


def _value(shape: Shape) -> str:
    match shape:
        case Text():
            wanted = shape.syntax.wanted if shape.syntax is not None else "text"
            value = ", ".join(f"`{choice}`" for choice in shape.choices) or wanted
        case Number():
            value = f"{shape.minimum} to {shape.maximum}"
        case Flag():
            value = "`true`" if shape.only_true else "`true` or `false`"
        case Items():
            value = f"list of {_value(shape.of)}"
        case Table():
            value = f"map from {shape.keys.wanted} to {_value(shape.of)}"
        case Free():
            value = "map"
        case Object():
            value = _link(shape)
    return value


def _link(shape: Object) -> str:
    return f"[{shape.title}](#{shape.title.lower()})"


def _about(shape: Shape) -> str:
    examples: tuple[Any, ...] = () if isinstance(shape, Flag | Object) else shape.examples
    if not examples:
        return shape.about
    shown = ", ".join(
        f"`{example if isinstance(example, str) else json.dumps(example)}`" for example in examples
    )
    return f"{shape.about} For example {shown}."
