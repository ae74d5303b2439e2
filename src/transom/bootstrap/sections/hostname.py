"""`hostname`: cut to what NetBIOS takes, and a restart that runs everything again."""

from typing import Any

from transom.bootstrap.machine import Machine
from transom.bootstrap.sections.kinds import kind_of
from transom.bootstrap.story import Skip, Telling
from transom.facts.names import cloudbase_name


def follow(value: Any, telling: Telling, machine: Machine, section: str) -> bool:
    """Tell the name that is set, unless the machine has it already."""
    if not isinstance(value, str):
        telling.remark("BOOT071", f"it is {kind_of(value)}", (section,))
        raise Skip
    name = cloudbase_name(value)
    if name != value:
        telling.remark("BOOT070", f"{value} becomes {name}", (section,))
    if name.lower() == machine.computer_name.lower():
        return False
    telling.act("hostname", name)
    return True
