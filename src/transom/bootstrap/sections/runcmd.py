"""`runcmd`: all entries become one file of commands, run once by cmd.exe."""

from typing import Any

from transom.bootstrap import commands
from transom.bootstrap.machine import Machine
from transom.bootstrap.sections.kinds import kind_of
from transom.bootstrap.story import Telling

HEADER = "rem cmd"
_LINE = "\r\n"
_REBOOTS = (1001, 1003)


def follow(value: Any, telling: Telling, machine: Machine, section: str) -> bool:
    """Tell the script that is run."""
    if not value:
        return False
    if not isinstance(value, list | str | dict | tuple | set | bytes):
        telling.remark("BOOT041", f"runcmd is {kind_of(value)}", (section,))
        return False
    if not isinstance(value, list):
        telling.remark("BOOT040", f"runcmd is {kind_of(value)}", (section,))
    lines = [HEADER]
    for number, command in enumerate(value):
        if isinstance(command, str):
            lines.append(command)
        elif _is_words(command):
            lines.append(" ".join(str(word) for word in command))
        else:
            telling.remark("BOOT041", f"an entry is {kind_of(command)}", (section, number))
            return False
    script = "".join(f"{line}{_LINE}" for line in lines)
    try:
        script.encode()
    except UnicodeEncodeError:
        telling.remark("BOOT041", "an entry has half a character", (section,))
        return False
    telling.ran("cmd", script)
    if isinstance(value, list):
        _look(value, lines[1:], telling, section)
    return machine.exit_code(script) in _REBOOTS


def _look(value: list[Any], lines: list[str], telling: Telling, section: str) -> None:
    """Note what the commands do not do."""
    hits = [*commands.look(lines)]
    for number, command in enumerate(value):
        if not isinstance(command, str):
            hits += commands.look_at_words(command, number)
    for hit in hits:
        telling.remark(hit.trap, hit.found, (section, hit.number))


def _is_words(command: Any) -> bool:
    """Whether an entry is a list whose members can be put into text, as all but pairs can."""
    return isinstance(command, list | tuple) and not any(isinstance(w, tuple) for w in command)
