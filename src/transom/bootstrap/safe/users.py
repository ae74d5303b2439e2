"""`users` made safe: no hashed password taken for a plain one, groups and keys as lists."""

import datetime as dt
import re
from typing import Any

from transom.bootstrap.safe.change import Changes
from transom.bootstrap.sections.users import HASHED, KNOWN


def safe_users(value: Any, changes: Changes) -> Any:
    """The section with users that cloudbase-init makes as they were meant."""
    if not isinstance(value, list):
        return value
    kept = []
    for item in value:
        if isinstance(item, dict) and item.get("name"):
            kept.append(_user(item, changes))
        else:
            changes.note("BOOT035", "an entry of users that names nobody is left out")
    return kept


def _user(item: dict[Any, Any], changes: Changes) -> dict[Any, Any]:
    name = item["name"]
    user = {key: value for key, value in item.items() if key in KNOWN}
    if ignored := sorted(str(key) for key in item if key not in KNOWN):
        changes.note("BOOT034", f"{', '.join(ignored)} of {name} is left out")
    password = user.get("passwd")
    if isinstance(password, str) and HASHED.match(password):
        del user["passwd"]
        changes.note("BOOT031", f"{name} gets a random password, not the text of a hash")
    for key in ("groups", "primary_group"):
        groups = user.get(key)
        if isinstance(groups, str) and re.search(r"[,;]", groups):
            user[key] = [group.strip() for group in re.split(r"[,;]", groups) if group.strip()]
            changes.note("BOOT033", f"{key} of {name} is a list")
    keys = user.get("ssh_authorized_keys")
    if isinstance(keys, str):
        user["ssh_authorized_keys"] = keys.splitlines()
        changes.note("BOOT038", f"ssh_authorized_keys of {name} is a list")
    expires = user.get("expiredate")
    if isinstance(expires, dt.date):
        user["expiredate"] = expires.strftime("%Y-%m-%d")
        changes.note("BOOT039", f"expiredate of {name} is text")
    return user
