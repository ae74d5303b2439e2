"""`users`: local users with their groups and SSH keys; one that fails is left out."""

import datetime as dt
import re
from typing import Any

from transom.bootstrap.machine import Machine
from transom.bootstrap.sections.kinds import kind_of
from transom.bootstrap.story import Path, Skip, Telling
from transom.facts.cloudbaseinit import Number
from transom.facts.rows import At, one

KNOWN = frozenset(
    [
        "name",
        "passwd",
        "gecos",
        "groups",
        "primary_group",
        "expiredate",
        "inactive",
        "no_create_home",
        "ssh_authorized_keys",
    ]
)
HASHED = re.compile(r"\$[0-9a-z]{1,3}\$")


def follow(value: Any, telling: Telling, machine: Machine, section: str) -> bool:
    """Tell the users that are made."""
    del machine
    if not isinstance(value, list | dict):
        telling.remark("BOOT035", f"users is {kind_of(value)}", (section,))
        raise Skip
    if isinstance(value, dict):
        telling.remark("BOOT035", "users is a mapping", (section,))
    for number, item in enumerate(value):
        path = (section, number)
        if not isinstance(item, dict):
            if isinstance(value, list):
                telling.remark("BOOT035", f"{item!r} is {kind_of(item)}", path)
            continue
        if not item.get("name"):
            telling.remark("BOOT035", "a user has no name", path)
            continue
        try:
            _make(item, path, telling)
        except Skip as reason:
            telling.remark("BOOT032", f"{item['name']}: {reason}", path)
    return False


def _make(item: dict[Any, Any], path: Path, telling: Telling) -> None:
    password = _password(item, path, telling)
    expires = _expires(item.get("expiredate"), (*path, "expiredate"), telling)
    disabled = item.get("inactive", False)
    keys = item.get("ssh_authorized_keys", [])
    if disabled and (keys or not item.get("no_create_home", False)):
        raise Skip("inactive needs no_create_home, and no keys")
    groups = _groups(item, path, telling)
    name = item["name"]
    if not isinstance(name, str):
        raise Skip(f"its name is {kind_of(name)}")
    ignored = sorted(str(key) for key in item if key not in KNOWN)
    if ignored:
        telling.remark("BOOT034", f"{', '.join(ignored)} of {name}", (*path, ignored[0]))
    detail = telling.act(
        "user", name, password=password, groups=groups, disabled=bool(disabled), expires=expires
    )
    if keys:
        written: list[str] = []
        detail["keys"] = written
        _write_keys(keys, written, (*path, "ssh_authorized_keys"), telling)


def _password(item: dict[Any, Any], path: Path, telling: Telling) -> str:
    password = item.get("passwd")
    if not password:
        return "random"
    where = (*path, "passwd")
    if not isinstance(password, str | bytes | list | dict | tuple | set):
        raise Skip(f"passwd is {kind_of(password)}")
    if isinstance(password, str) and HASHED.match(password):
        telling.remark("BOOT031", f"passwd of {item['name']} is a hash", where)
    longest = one(Number, "cloudbase-init-password-length", At()).value
    if len(password) > longest:
        raise Skip(f"passwd has {len(password)} characters, more than {longest}")
    if not isinstance(password, str):
        raise Skip(f"passwd is {kind_of(password)}")
    return "given"


def _expires(value: Any, path: Path, telling: Telling) -> str:
    if isinstance(value, dt.date):
        telling.remark("BOOT039", str(value), path)
    if not isinstance(value, str):
        return ""
    try:
        year, month, day = map(int, value.split("-"))
        return dt.date(year, month, day).isoformat()
    except (ValueError, OverflowError):
        raise Skip(f"expiredate {value} is no date") from None


def _groups(item: dict[Any, Any], path: Path, telling: Telling) -> list[Any]:
    found: list[Any] = []
    for key in ("groups", "primary_group"):
        value = item.get(key)
        if isinstance(value, str):
            names = value.split(", ")
            found += names
            if any("," in name or ";" in name for name in names):
                telling.remark("BOOT033", value, (*path, key))
        elif isinstance(value, list | tuple):
            found += value
    return found


def _write_keys(keys: Any, written: list[str], path: Path, telling: Telling) -> None:
    """Whatever Python counts in the value becomes a line, which of text is each letter."""
    if not isinstance(keys, list):
        telling.remark("BOOT038", f"ssh_authorized_keys is {kind_of(keys)}", path)
    if not isinstance(keys, list | str | dict | tuple | set):
        raise Skip(f"ssh_authorized_keys is {kind_of(keys)}")
    for key in keys:
        if not isinstance(key, str):
            raise Skip("a key is not text")
        written.append(key)
