"""`transom.lock` as text: TOML, one table per artifact, sorted, so that a diff shows what changed.

Called where the file is read and written; touches no file itself.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from transom.errors import InvalidDocument
from transom.model.api_versions import KINDS, UnknownVersionError, check, is_newer, written
from transom.model.lock import FILE_SCHEME, FleetSection, Lock, LockEntry, LockKey, SumFrom
from transom.model.problem import Mistake
from transom.model.records import dataclass
from transom.recipe.checksum import is_sha256
from transom.recipe.lock import has_credentials
from transom.recipe.lock_sections import read_sections

KIND = "Lock"
_HEADER = """\
# The exact bytes this fleet installs. Written by `transom lock`; commit it beside the fleet.
# Change it with `transom lock --update [NAME]`, never by hand.
"""
_COLUMNS = {
    "id": str,
    "version": str,
    "url": str,
    "sha256": str,
    "size": int,
    "sumFrom": str,
    "sumUrl": str,
}
_OPTIONAL = ("sumUrl",)
_TYPE_WORDS = {str: "text", int: "a whole number"}
_VOUCHED_ELSEWHERE = (SumFrom.PUBLISHED, SumFrom.MIRROR)
_TABLE = re.compile(r"\s*\[\[\s*artifact\s*\]\]")
_FLEET = re.compile(r"\s*\[\[\s*fleet\s*\]\]")
_TOP = ("apiVersion", "kind", "fleet", "artifact")
_KEY = re.compile(r"""\s*["']?(?P<key>[A-Za-z0-9_-]+)["']?\s*=""")
_PLACE = re.compile(r"(?P<what>.*) \(at line (?P<line>\d+), column (?P<column>\d+)\)")
_AT_END = " (at end of document)"
_MEND = "take the file back from version control, or delete it and run `transom lock`"
_UNSAFE = re.compile(r'["\\\x00-\x1f\x7f]')


def write_lock(lock: Lock) -> str:
    """The text of a lock: the same lock, the same bytes."""
    parts = [_HEADER, f'apiVersion = "{written(KIND)}"\nkind = "{KIND}"\n']
    parts += [_write_section(section) for section in lock.fleets]
    parts += [_write_entry(entry) for entry in lock.entries]
    return "\n".join(parts)


def read_lock(text: str, *, file: str) -> Lock:
    """The lock that a text holds; raise InvalidDocument with every mistake and its line."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _unreadable(text, str(error), file) from error
    places = _Places.of(text)
    _refuse_newer(document, places, file)
    mistakes = [*_document_mistakes(document, places, file)]
    tables = document.get("artifact", [])
    if not isinstance(tables, list):
        tables = []
    entries = []
    seen: dict[LockKey, int] = {}
    for number, table in enumerate(tables):
        found = [*_entry_mistakes(table, number, places, file)]
        if not found:
            entry = _entry(table)
            first = seen.setdefault(entry.key, number)
            if first != number:
                found = [_twice(entry, places.table(first), places.table(number), file)]
            entries.append(entry)
        mistakes += found
    sections, found = read_sections(document.get("fleet", []), places.fleets, file)
    mistakes += found
    if mistakes:
        raise InvalidDocument(mistakes, subject=file, hint=_MEND)
    return Lock(tuple(entries), tuple(sections))


@dataclass(frozen=True, slots=True)
class _Places:
    """Lines of tables and keys: the TOML reader of the standard library keeps none."""

    top: Mapping[str, int]
    tables: tuple[int, ...]
    keys: tuple[Mapping[str, int], ...]
    fleets: tuple[int, ...]

    @staticmethod
    def of(text: str) -> "_Places":
        tables: list[int] = []
        fleets: list[int] = []
        keys: list[dict[str, int]] = [{}]
        top = keys[0]
        for number, line in enumerate(text.splitlines(), start=1):
            if _FLEET.match(line):
                fleets.append(number)
                top = {}
            elif _TABLE.match(line):
                tables.append(number)
                keys.append({})
            elif (match := _KEY.match(line)) is not None:
                within = keys[-1] if len(keys) > 1 else top
                within.setdefault(match["key"], number)
        return _Places(keys[0], tuple(tables), tuple(keys[1:]), tuple(fleets))

    def table(self, number: int) -> int:
        return self.tables[number] if number < len(self.tables) else 0

    def key(self, number: int, key: str) -> int:
        lines = self.keys[number] if number < len(self.keys) else {}
        return lines.get(key, self.table(number))


def _write_section(section: FleetSection) -> str:
    lines = ["[[fleet]]", f"name = {_quoted(section.name)}"]
    if section.artifacts:
        addresses = (f"  {_quoted(address)}," for address in section.artifacts)
        lines += ["artifacts = [", *addresses, "]"]
    for default in section.defaults:
        lines += ["", "[[fleet.default]]", f"name = {_quoted(default.name)}"]
        lines += [f"value = {_quoted(default.value)}", f"why = {_quoted(default.why)}"]
        if default.kubernetes:
            lines.append(f"kubernetes = {_quoted(default.kubernetes)}")
    return "\n".join(lines) + "\n"


def _write_entry(entry: LockEntry) -> str:
    lines = [
        "[[artifact]]",
        f"id = {_quoted(entry.id)}",
        f"version = {_quoted(entry.version)}",
        f"url = {_quoted(entry.url)}",
        f"sha256 = {_quoted(entry.sha256)}",
        f"size = {entry.size}",
        f"sumFrom = {_quoted(entry.sum_from.value)}",
    ]
    if entry.sum_url:
        lines.append(f"sumUrl = {_quoted(entry.sum_url)}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return '"' + _UNSAFE.sub(_escaped, text) + '"'


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return "\\" + character if character in '"\\' else f"\\u{ord(character):04X}"


def _unreadable(text: str, message: str, file: str) -> InvalidDocument:
    conflict = next(
        (n for n, line in enumerate(text.splitlines(), 1) if line.startswith("<<<<<<< ")), 0
    )
    if conflict:
        mistake = Mistake("an unresolved merge conflict", line=conflict, column=1, file=file)
        hint = "keep the entries of both sides, then run `transom lock --check`"
        return InvalidDocument([mistake], subject=file, hint=hint)
    place = _PLACE.fullmatch(message)
    if place is not None:
        mistake = Mistake(
            f"not TOML: {place['what']}",
            line=int(place["line"]),
            column=int(place["column"]),
            file=file,
        )
    else:
        last = len(text.splitlines())
        mistake = Mistake(f"not TOML: {message.removesuffix(_AT_END)}", line=last, file=file)
    return InvalidDocument([mistake], subject=file, hint=_MEND)


def _refuse_newer(document: Mapping[str, Any], places: _Places, file: str) -> None:
    """Say that alone of a newer lock: what else is strange in it is no mistake."""
    if not is_newer(document.get("apiVersion"), KINDS[KIND]):
        return
    try:
        check(KIND, document)
    except UnknownVersionError as error:
        line = places.top.get("apiVersion", 1)
        mistake = Mistake(f"the lock {error}", path="apiVersion", line=line, file=file)
        raise InvalidDocument([mistake], subject=file) from error


def _document_mistakes(
    document: Mapping[str, Any], places: _Places, file: str
) -> Iterator[Mistake]:
    for key, wanted in (("apiVersion", KINDS[KIND].read), ("kind", (KIND,))):
        found = document.get(key)
        if found not in wanted:
            said = "is missing" if found is None else f"is {found!r}"
            line = places.top.get(key, 1)
            yield Mistake(f"{key} must be {wanted[0]!r} and {said}", path=key, line=line, file=file)
    for key in document:
        if key not in _TOP:
            yield _unknown(key, [*_TOP], key, places.top.get(key, 0), file)
    if not isinstance(document.get("artifact", []), list):
        line = places.top.get("artifact", 0)
        yield Mistake("artifact must be a list of tables", path="artifact", line=line, file=file)


def _entry_mistakes(table: Any, number: int, places: _Places, file: str) -> Iterator[Mistake]:
    path = f"artifact[{number}]"
    if not isinstance(table, dict):
        yield Mistake(
            "an artifact must be a table", path=path, line=places.table(number), file=file
        )
        return
    for key in table:
        if key not in _COLUMNS:
            line = places.key(number, key)
            yield _unknown(key, list(_COLUMNS), f"{path}.{key}", line, file)
    for key, kind in _COLUMNS.items():
        message = _key_mistake(table, key, kind)
        if message:
            line = places.key(number, key)
            yield Mistake(message, path=f"{path}.{key}", line=line, file=file)


def _key_mistake(table: Mapping[str, Any], key: str, kind: type) -> str:
    """What is wrong with one key of an entry, or nothing."""
    if key not in table:
        return "" if key in _OPTIONAL and not _wants_sum_url(table) else f"{key} is missing"
    value = table[key]
    if not isinstance(value, kind) or isinstance(value, bool):
        return f"{key} must be {_TYPE_WORDS[kind]}, not {type(value).__name__}"
    if isinstance(value, int):
        return "size must not be negative" if value < 0 else ""
    return _text_mistake(key, str(value))


def _text_mistake(key: str, value: str) -> str:
    message = ""
    if not value:
        message = f"{key} is empty"
    elif key == "sha256" and not is_sha256(value):
        message = "sha256 must be 64 lower-case hexadecimal digits"
    elif key == "sumFrom" and value not in [member.value for member in SumFrom]:
        names = ", ".join(member.value for member in SumFrom)
        message = f"sumFrom must be one of {names}, not {value!r}"
    elif key in ("url", "sumUrl"):
        message = _url_mistake(key, value)
    return message


def _url_mistake(key: str, url: str) -> str:
    if key == "url" and url.startswith(FILE_SCHEME):
        return ""
    if not url.startswith("https://"):
        return f"{key} must begin with https://" + (" or file:" if key == "url" else "")
    try:
        return f"{key} carries credentials" if has_credentials(url) else ""
    except ValueError as error:
        return f"{key} is not a URL: {error}"


def _wants_sum_url(table: Mapping[str, Any]) -> bool:
    return table.get("sumFrom") in [member.value for member in _VOUCHED_ELSEWHERE]


def _unknown(key: str, known: list[str], path: str, line: int, file: str) -> Mistake:
    near = get_close_matches(key, known, n=1)
    hint = f"did you mean {near[0]}?" if near else ""
    return Mistake(f"unknown key {key}", path=path, line=line, hint=hint, file=file)


def _twice(entry: LockEntry, first: int, line: int, file: str) -> Mistake:
    message = f"{entry.id} {entry.version} has an entry for the same url at line {first}"
    return Mistake(message, path="artifact", line=line, file=file)


def _entry(table: Mapping[str, Any]) -> LockEntry:
    return LockEntry(
        id=table["id"],
        version=table["version"],
        url=table["url"],
        sha256=table["sha256"],
        size=table["size"],
        sum_from=SumFrom(table["sumFrom"]),
        sum_url=table.get("sumUrl", ""),
    )
