"""`write_files`: files in the order given, until one entry makes cloudbase-init give up the rest."""

import base64
import binascii
import gzip
import io
import math
import ntpath
import re
import zlib
from typing import Any

from transom.bootstrap.machine import Machine
from transom.bootstrap.sections.kinds import kind_of
from transom.bootstrap.story import Path, Skip, Telling
from transom.facts.cloudbaseinit import Number
from transom.facts.rows import At, one

# cloudbase-init runs as a service, which starts in the system's own directory.
DIRECTORY = r"C:\Windows\System32"
_BASE64 = ("b64", "base64")
_GZIP = ("gz", "gzip")
_BOTH = tuple(f"{first}+{second}" for first in _GZIP for second in _BASE64)
_IMPOSSIBLE = re.compile(r'[<>"|?*\x00-\x1f]')
_SECRET = re.compile(
    rb"token:\s*['\"]?[a-z0-9]{6}\.[a-z0-9]{16}|PRIVATE KEY-----|client-key-data:|\bpassword:",
    re.IGNORECASE,
)
_OWNER_WRITE = 0o200
_MOST = 0o777
_C_INT = 2**31


def follow(value: Any, telling: Telling, machine: Machine, section: str) -> bool:
    """Tell which files are written."""
    del machine
    if not isinstance(value, list | dict):
        telling.remark("BOOT020", f"write_files is {kind_of(value)}", (section,))
        raise Skip
    # One file may stand there without a list around it.
    entries: list[tuple[Path, Any]] = [((section,), value)]
    if isinstance(value, list):
        entries = [((section, number), entry) for number, entry in enumerate(value)]
    for number, (path, entry) in enumerate(entries):
        try:
            _write(entry, path, telling)
        except Skip as reason:
            rest = len(entries) - number - 1
            lost = f"; {rest} later file{'s' if rest != 1 else ''} with it" if rest else ""
            telling.remark("BOOT021", f"{reason}{lost}", path)
            raise
    return False


def _write(entry: Any, path: Path, telling: Telling) -> None:
    if not isinstance(entry, dict | list | str):
        raise Skip(f"an entry is {kind_of(entry)}")
    if not {"path", "content"} <= set(_hashable(entry)):
        telling.remark("BOOT020", _what_is_missing(entry), path)
        return
    if not isinstance(entry, dict):
        raise Skip(f"an entry is {kind_of(entry)}")
    place = _place(entry["path"], (*path, "path"), telling)
    content = _content(entry, path, telling)
    mode = _mode(entry.get("permissions"), (*path, "permissions"), telling)
    folder, name = ntpath.split(ntpath.splitdrive(place)[1])
    if _IMPOSSIBLE.search(folder):
        telling.remark("BOOT027", place, (*path, "path"))
        return
    if not name or _IMPOSSIBLE.search(name):
        raise Skip(f"Windows has no file called {place}")
    telling.wrote(place, content, mode=mode, append=bool(entry.get("append", False)))
    if not -_C_INT <= mode < _C_INT:
        raise Skip(f"permissions {mode} are no mode")
    if "owner" in entry:
        telling.remark("BOOT023", f"owner {entry['owner']}", (*path, "owner"))
    if holds_secret(content):
        telling.remark("BOOT022", place, (*path, "path"))
    if not mode & _OWNER_WRITE:
        telling.remark("BOOT028", f"{place} with mode {mode:04o}", (*path, "permissions"))


def _hashable(entry: Any) -> list[Any]:
    try:
        return list(set(entry))
    except TypeError:
        raise Skip("an entry is a list of things") from None


def _what_is_missing(entry: Any) -> str:
    if not isinstance(entry, dict):
        return f"an entry is {kind_of(entry)}"
    return f"an entry has no {' and no '.join(k for k in ('path', 'content') if k not in entry)}"


def _place(value: Any, path: Path, telling: Telling) -> str:
    if isinstance(value, bytes):
        try:
            value = value.decode()
        except UnicodeDecodeError:
            raise Skip("a path is binary data") from None
    if not isinstance(value, str):
        raise Skip(f"a path is {kind_of(value)}")
    place = absolute(value)
    if not ntpath.splitdrive(value)[0] and not value.startswith(("/", "\\")):
        telling.remark("BOOT026", f"{value} becomes {place}", path)
    return place


def absolute(path: str) -> str:
    """Where a path leads that cloudbase-init is given."""
    return ntpath.normpath(ntpath.join(DIRECTORY, path))


def holds_secret(content: bytes) -> bool:
    """Whether a file has something in it that not everybody may read."""
    return _SECRET.search(content) is not None


def _content(entry: dict[Any, Any], path: Path, telling: Telling) -> bytes:
    content, encoding = entry["content"], entry.get("encoding")
    if not isinstance(content, str | bytes):
        raise Skip(f"content is {kind_of(content)}, not text")
    try:
        data = content.encode() if isinstance(content, str) else content
    except UnicodeEncodeError:
        raise Skip("content has half a character") from None
    if not encoding:
        return data
    if not isinstance(encoding, str):
        raise Skip(f"encoding is {kind_of(encoding)}")
    where = (*path, "encoding")
    name = encoding.lower().strip()
    if name not in (*_BASE64, *_GZIP, *_BOTH):
        telling.remark("BOOT025", f"encoding {encoding} is not known", where)
        return data
    if name not in _GZIP:
        try:
            data = base64.b64decode(data)
        except binascii.Error:
            telling.remark("BOOT025", "content is no base64", where)
    return data if name in _BASE64 else _unzipped(data, where, telling)


def _unzipped(data: bytes, where: Path, telling: Telling) -> bytes:
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data), mode="rb") as file:
            return file.read()
    except OSError:
        telling.remark("BOOT025", "content is not compressed by gzip", where)
        return data
    except (EOFError, zlib.error) as error:
        raise Skip("compressed content is damaged") from error


def _mode(value: Any, path: Path, telling: Telling) -> int:
    default = one(Number, "cloudbase-init-file-mode", At()).value
    if value is None:
        return default
    if isinstance(value, int | float):
        if isinstance(value, float) and not math.isfinite(value):
            raise Skip(f"permissions are {value}")
        if isinstance(value, bool) or _looks_decimal(value):
            found = f"permissions {value} mean mode {int(value):o}"
            telling.remark("BOOT024", found, path)
        return int(value)
    try:
        return int(value, 8)
    except (ValueError, TypeError):
        telling.remark("BOOT024", f"permissions {value!r} are no octal number", path)
        return default


def _looks_decimal(value: float) -> bool:
    """Whether a number reads like a mode and is none: 644 is 1204 in octal."""
    text = str(int(value))
    return int(value) != value or (
        len(text) in (3, 4) and set(text) <= set("01234567") and int(value) > _MOST
    )
