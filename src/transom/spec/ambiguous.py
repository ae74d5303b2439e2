"""Texts without quotes that other YAML readers take for something else.

Kubernetes' own reading (`yamlio`) is one of several: YAML 1.1 has dates and numbers of base 60, YAML 1.2
other octal numbers. A text that all of them read alike needs no quotes; any other does.
"""

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from transom.spec.fault import Fault, Path
from transom.spec.shape import Items, Object, Shape, Table, Text
from transom.yamlio.scalar import UnreadableScalar, read_plain

if TYPE_CHECKING:
    from transom.yamlio.loader import Document

_OTHERWISE = re.compile(
    r"[-+]?0o[0-7]+"  # YAML 1.2
    r"|[-+]?0x[0-9a-fA-F_]+|[-+]?0b[01_]+|[-+]?[0-9][0-9_]*"  # YAML 1.1 allows underscores
    r"|[-+]?(?:[0-9][0-9_]*)?\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_.]*[eE][-+]?[0-9]+"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"  # base 60
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ].*)?"  # a date
    r"|(?i:y|n|yes|no|on|off|true|false|null|~|=|<<)"
)


def needs_quotes(text: str) -> bool:
    """Whether some YAML reader takes the text, without quotes, for something else."""
    return _OTHERWISE.fullmatch(text) is not None or not isinstance(_plain(text), str)


def _plain(text: str) -> Any:
    try:
        return read_plain(text)
    except UnreadableScalar:
        return None


def ambiguous(shape: Shape, document: "Document") -> Iterator[Fault]:
    """A fault for each text without quotes that some reader would not take as text."""
    for path, text in _texts(shape, document.value, ()):
        if _OTHERWISE.fullmatch(text) and document.is_plain(path):
            message = (
                f"`{text}` without quotes is not text to every YAML reader, and this must be text"
            )
            yield Fault(path, message, f"Write {json.dumps(text)}.")


def _texts(shape: Shape | None, value: Any, path: Path) -> Iterator[tuple[Path, str]]:
    match shape, value:
        case Text(), str():
            yield path, value
        case Object(), dict():
            for key, below in value.items():
                yield from _texts(shape.keys.get(key), below, (*path, key))
        case Table(), dict():
            for key, below in value.items():
                yield from _texts(shape.of, below, (*path, key))
        case Items(), list():
            for index, below in enumerate(value):
                yield from _texts(shape.of, below, (*path, index))
        case _:
            return
