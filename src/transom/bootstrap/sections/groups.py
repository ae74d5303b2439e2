"""`groups`: made before users are, so that members must be there already."""

from typing import Any

from transom.bootstrap.machine import Machine
from transom.bootstrap.sections.kinds import kind_of
from transom.bootstrap.story import Path, Skip, Telling


def follow(value: Any, telling: Telling, machine: Machine, section: str) -> bool:
    """Tell the groups that are made, up to the one that ends the section."""
    if not isinstance(value, list | dict):
        telling.remark("BOOT036", f"groups is {kind_of(value)}", (section,))
        raise Skip
    for number, item in enumerate(value):
        path = (section, item if isinstance(value, dict) else number)
        if isinstance(value, dict) and value[item]:
            telling.remark("BOOT037", f"members of {item}", path)
        name, members = _parsed(item, path, telling)
        if name:
            _make(name, members, path, telling, machine)
    return False


def _parsed(item: Any, path: Path, telling: Telling) -> tuple[Any, Any]:
    if isinstance(item, str):
        return item, []
    if not isinstance(item, dict) or not item:
        telling.remark("BOOT036", f"a group is {kind_of(item)}", path)
        raise Skip
    name = next(iter(item))
    return name, item[name]


def _make(name: Any, members: Any, path: Path, telling: Telling, machine: Machine) -> None:
    if not isinstance(name, str):
        telling.remark("BOOT036", f"a group's name is {kind_of(name)}", path)
        raise Skip
    added: list[str] = []
    telling.act("group", name, members=added)
    if not isinstance(members, list | str | dict | tuple | set | bytes):
        telling.remark("BOOT036", f"members of {name} are {kind_of(members)}", path)
        raise Skip
    for member in members:
        if not isinstance(member, str) or member not in machine.users:
            telling.remark("BOOT036", f"{member} is not there when {name} is made", path)
            raise Skip
        added.append(member)
