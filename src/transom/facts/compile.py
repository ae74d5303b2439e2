"""Facts checked and compiled: TOML rows in, one JSON document per subject out.

Not used at run time. Every column is checked against the row type, so that a typing mistake in a data
file is found where it was made.
"""

import importlib
import json
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from transom.facts.rows import Row
from transom.model.version import VersionRange

SOURCES = Path(__file__).parent
CONFIDENCES = ("verified", "doc", "changelog", "inferred")


def subjects() -> list[str]:
    """The names of all subjects, sorted."""
    return sorted(path.stem for path in SOURCES.glob("*.toml"))


def tables(subject: str) -> dict[str, type[Row]]:
    """The row types of a subject, by the name of their table."""
    module = importlib.import_module(f"transom.facts.{subject}")
    found = (value for value in vars(module).values() if isinstance(value, type))
    return {
        row_type.table: row_type
        for row_type in found
        if issubclass(row_type, Row) and hasattr(row_type, "table") and row_type.subject == subject
    }


def compile_subject(subject: str) -> str:
    """The JSON of a subject; raise ValueError with every mistake in its rows."""
    document = tomllib.loads((SOURCES / f"{subject}.toml").read_text("utf-8"))
    known = tables(subject)
    mistakes = [f"[[{name}]] is no table of {subject}.py" for name in document if name not in known]
    compiled = {}
    for name, row_type in sorted(known.items()):
        compiled[name] = [_plain(row) for row in document.get(name, ())]
        for row in compiled[name]:
            mistakes += [f"{name} {row.get('id')}: {text}" for text in _mistakes(row_type, row)]
    if mistakes:
        raise ValueError(f"{subject}.toml:\n  " + "\n  ".join(mistakes))
    return json.dumps(compiled, ensure_ascii=False, indent=1) + "\n"


def _plain(row: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: value.isoformat() if isinstance(value, date) else value for name, value in row.items()
    }


def _mistakes(row_type: type[Row], row: Mapping[str, Any]) -> Iterator[str]:
    hints = get_type_hints(row_type)
    optional = row_type.defaults()
    for name in row:
        if name not in row_type.columns:
            yield f"unknown column {name}"
    for name in row_type.columns:
        if name not in row:
            if name not in optional:
                yield f"column {name} is missing"
        elif not _fits(row[name], hints[name]):
            yield f"column {name} must be {hints[name]}, not {row[name]!r}"
    yield from _range_mistakes(row)
    if row.get("confidence", "verified") not in CONFIDENCES:
        yield f"confidence must be one of {', '.join(CONFIDENCES)}"
    if not row.get("source"):
        yield "a source is needed"


def _range_mistakes(row: Mapping[str, Any]) -> Iterator[str]:
    for name in ("kubernetes", "windows_build", "containerd"):
        try:
            VersionRange.parse(row.get(name, ""))
        except (ValueError, AttributeError) as error:
            yield f"column {name}: {error}"


def _fits(value: object, hint: Any) -> bool:
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return any(_fits(value, option) for option in get_args(hint))
    if origin is tuple:
        return isinstance(value, list) and all(_fits(item, get_args(hint)[0]) for item in value)
    if origin is not None and issubclass(origin, Mapping):
        return isinstance(value, dict) and all(
            _fits(item, get_args(hint)[1]) for item in value.values()
        )
    if hint is object:
        return True
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, hint)
