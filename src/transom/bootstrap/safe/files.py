"""`write_files` made safe: whole paths, no entry that ends the rest, and which files hold secrets."""

import re
from typing import Any

from transom.bootstrap.safe.change import Changes
from transom.bootstrap.sections.write_files import absolute, holds_secret

_OCTAL = re.compile(r"0?[0-7]{3,4}")
_OWNER_WRITE = 0o200


def safe_files(value: Any, changes: Changes) -> tuple[Any, list[str]]:
    """The section, and the paths in it whose content nobody else may read."""
    if isinstance(value, dict):
        value = [value]
    if not isinstance(value, list):
        return value, []
    found = [_entry(entry, changes) for entry in value]
    kept = [entry for entry in found if entry is not None]
    secrets = [
        entry["path"]
        for entry in kept
        if isinstance(entry, dict)
        and isinstance(entry.get("path"), str)
        and isinstance(entry.get("content"), str)
        and holds_secret(entry["content"].encode(errors="replace"))
    ]
    return kept, secrets


def _entry(entry: Any, changes: Changes) -> Any:
    if not isinstance(entry, dict):
        return entry
    entry = dict(entry)
    path = entry.get("path")
    if not isinstance(path, str) or not path:
        changes.note("BOOT020", "an entry of write_files without a path is left out")
        return None
    if "{" not in path and absolute(path) != path:
        entry["path"] = absolute(path)
        changes.note("BOOT026", f"{path} is written as {entry['path']}")
    if entry.get("content") is None:
        entry["content"] = ""
        changes.note("BOOT020", f"{entry['path']} is empty, and so is written")
    if entry.pop("owner", None) is not None:
        changes.note("BOOT023", f"the owner of {entry['path']} is left out")
    _mend_permissions(entry, changes)
    return entry


def _mend_permissions(entry: dict[str, Any], changes: Changes) -> None:
    value = entry.get("permissions")
    if value is None:
        return
    mode = _mode(value)
    if mode is None:
        del entry["permissions"]
        changes.note("BOOT024", f"the permissions of {entry['path']} are no mode and left out")
    elif not isinstance(value, str):
        entry["permissions"] = f"{mode | _OWNER_WRITE:04o}"
        changes.note("BOOT024", f"the permissions of {entry['path']} are {entry['permissions']}")
    elif not mode & _OWNER_WRITE:
        entry["permissions"] = f"{mode | _OWNER_WRITE:04o}"
        changes.note("BOOT028", f"{entry['path']} can be written again when all of this runs again")


def _mode(value: Any) -> int | None:
    """The mode that was meant: of 644 without quotes the digits, of 0644 what YAML made of it."""
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    text = str(value)
    if isinstance(value, int) and not (len(text) == 3 and _OCTAL.fullmatch(text)):  # noqa: PLR2004 - digits of a mode
        return value if 0 <= value <= 0o7777 else None  # noqa: PLR2004 - every mode
    return int(text, 8) if _OCTAL.fullmatch(text) else None
