"""`ntp`: servers and pools become one list of peers."""

from typing import Any

from transom.bootstrap.machine import Machine
from transom.bootstrap.sections.kinds import kind_of
from transom.bootstrap.story import Skip, Telling


def follow(value: Any, telling: Telling, machine: Machine, section: str) -> bool:
    """Tell the servers that are set."""
    del machine
    if not isinstance(value, dict):
        telling.remark("BOOT075", f"ntp is {kind_of(value)}", (section,))
        raise Skip
    servers: list[Any] = []
    for key in ("servers", "pools"):
        given = value.get(key, [])
        if not isinstance(given, list | str | dict | tuple | set | bytes):
            telling.remark("BOOT075", f"{key} is {kind_of(given)}", (section, key))
            raise Skip
        if not isinstance(given, list):
            telling.remark("BOOT075", f"{key} is {kind_of(given)}", (section, key))
        servers.extend(given)
    if not value.get("enabled", True) or not servers:
        return False
    if not all(isinstance(server, str) for server in servers):
        telling.remark("BOOT075", "a server is not text", (section,))
        raise Skip
    telling.act("ntp", " ".join(servers), servers=servers)
    return False
