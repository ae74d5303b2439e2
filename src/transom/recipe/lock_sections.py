"""The fleets of a lock, read from its tables: what was chosen for each, and which artifacts are its.

Every mistake is told at once, at the line of its fleet's table.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from transom.model.lock import Default, FleetSection
from transom.model.problem import Mistake

_KEYS = ("name", "artifacts", "default")
_DEFAULT_KEYS = ("name", "value", "why")
_MINOR = re.compile(r"[1-9]\d{0,2}\.\d{1,3}", re.ASCII)
# A default becomes part of addresses and command lines.
_LONGEST = 300


def read_sections(
    tables: Any, lines: Sequence[int], file: str
) -> tuple[list[FleetSection], list[Mistake]]:
    """The sections, and what is wrong with them."""
    if not isinstance(tables, list):
        return [], [Mistake("fleet must be a list of tables", path="fleet", file=file)]
    sections: list[FleetSection] = []
    mistakes: list[Mistake] = []
    for number, table in enumerate(tables):
        line = lines[number] if number < len(lines) else 0
        found = [*_complaints(table, [section.name for section in sections])]
        mistakes += (
            Mistake(said, path=f"fleet[{number}]{path}", line=line, file=file)
            for path, said in found
        )
        if not found:
            sections.append(_section(table))
    return sections, mistakes


def _section(table: dict[str, Any]) -> FleetSection:
    defaults = (
        Default(item["name"], item["value"], item["why"], item.get("kubernetes", ""))
        for item in table.get("default", [])
    )
    return FleetSection(table["name"], tuple(defaults), tuple(table.get("artifacts", [])))


def _complaints(table: Any, known: Sequence[str]) -> Iterator[tuple[str, str]]:
    """What is wrong with one fleet's table, each with its path in it."""
    if not isinstance(table, dict):
        yield "", "a fleet must be a table"
        return
    for key in table.keys() - {*_KEYS}:
        yield f".{key}", f"unknown key {key}"
    if not _is_word(table.get("name")):
        yield ".name", "name must be the name of a fleet"
    elif table["name"] in known:
        yield ".name", f"fleet {table['name']} has a section already"
    artifacts = table.get("artifacts", [])
    if not isinstance(artifacts, list) or not all(_is_word(item) for item in artifacts):
        yield ".artifacts", "artifacts must be a list of addresses"
    yield from _default_complaints(table.get("default", []))


def _default_complaints(defaults: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(defaults, list):
        yield ".default", "default must be a list of tables"
        return
    for number, item in enumerate(defaults):
        if not isinstance(item, dict) or item.keys() - {"kubernetes"} != {*_DEFAULT_KEYS}:
            yield f".default[{number}]", f"a default has {', '.join(_DEFAULT_KEYS)}"
        elif not all(_is_word(value) for value in item.values()):
            yield f".default[{number}]", "name, value and why must be texts without spaces"
        elif not _MINOR.fullmatch(item.get("kubernetes", "1.0")):
            yield f".default[{number}]", "kubernetes must be a minor such as 1.37"


def _is_word(value: object) -> bool:
    return (
        isinstance(value, str)
        and 0 < len(value) <= _LONGEST
        and value.isprintable()
        and " " not in value
    )
