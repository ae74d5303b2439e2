"""Scalars as the text written, wherever a declaration wants text.

YAML reads `1.30` as a number and `no` as a boolean; a version or a label must not change by that.
"""

from typing import TYPE_CHECKING, Any

from transom.spec.fault import Path
from transom.spec.shape import Items, Object, Shape, Table, Text

if TYPE_CHECKING:
    from transom.yamlio.loader import Document


def as_written(shape: Shape, document: "Document") -> Any:
    """The document's value, with the written text in the places of text."""
    return _read(shape, document.value, document, ())


def _read(shape: Shape | None, value: Any, document: "Document", path: Path) -> Any:
    match shape, value:
        case Text(), bool() | int() | float():
            return document.text(path)
        case Object(), dict():
            return {
                key: _read(shape.keys.get(key), below, document, (*path, key))
                for key, below in value.items()
            }
        case Table(), dict():
            return {
                key: _read(shape.of, below, document, (*path, key)) for key, below in value.items()
            }
        case Items(), list():
            return [
                _read(shape.of, below, document, (*path, index))
                for index, below in enumerate(value)
            ]
        case _:
            return value
