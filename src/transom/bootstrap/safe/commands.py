"""`runcmd` made safe: a join that ends the script where it fails, and runs once however often all of it does."""

import re
from collections.abc import Sequence
from typing import Any

from transom.bootstrap import commands
from transom.bootstrap.safe.change import Changes
from transom.bootstrap.sections.write_files import absolute
from transom.model.sddl import ICACLS_CLOSED_FILE

_SENTINEL = re.compile(r"&&\s*echo\s+\S+\s*>\s*\"?([^\s\"&|]+)\"?\s*$", re.IGNORECASE)
_CONFIGURATION = re.compile(r"--config[ =]\"?([^\s\"&|]+)\"?")
_RESTART = re.compile(r"\bexit(\s+/b)?\s+1001\b", re.IGNORECASE)
_DONE = r"C:\run\cluster-api\boot-data.done"


def safe_commands(value: Any, changes: Changes, *, secrets: Sequence[str], hostname: str) -> Any:
    """The section: what is secret closed first, then the commands; None where there is nothing."""
    if isinstance(value, str):
        changes.note("BOOT040", "runcmd is a list")
        value = [value]
    if value is not None and not isinstance(value, list):
        return value
    lines = [_line(entry, changes) for entry in value or []]
    lines = _mended(lines, changes)
    if any(_RESTART.search(line) for line in lines):
        lines = _restarted_once(lines, changes)
    lines = _joined(lines, changes)
    if hostname and any(commands.JOIN.search(line) for line in lines):
        guard = f'if /i not "%COMPUTERNAME%"=="{hostname}" exit 1003'
        if guard not in lines:
            lines.insert(0, guard)
            changes.note("BOOT043", f"nothing is joined before the computer is called {hostname}")
    return [*_closed(secrets, lines, changes), *lines] or None


def _line(entry: Any, changes: Changes) -> str:
    if isinstance(entry, str):
        return entry
    if isinstance(entry, list):
        if any(commands.look_at_words(entry, 0)):
            changes.note("BOOT048", f"an argument of {entry[0]} with spaces has quotes")
        words = [str(word) for word in entry]
        return " ".join(
            f'"{word}"' if number and " " in word.strip() and not word.startswith('"') else word
            for number, word in enumerate(words)
        )
    changes.note("BOOT041", f"the command {entry} is text")
    return "" if entry is None else str(entry)


def _mended(lines: list[str], changes: Changes) -> list[str]:
    """The lines with `call` before batch files and percent signs doubled, where these are missing."""
    found = list(lines)
    for hit in commands.look(lines):
        line = found[hit.number]
        if hit.trap == "BOOT046":
            found[hit.number] = f"call {line.lstrip().removeprefix('@')}"
            changes.note(hit.trap, f"{hit.found} is called, so that what follows runs")
        elif hit.trap == "BOOT047":
            found[hit.number] = commands.with_percents(line)
            changes.note(hit.trap, f"percent signs are doubled: {hit.found}")
    return found


def _restarted_once(lines: list[str], changes: Changes) -> list[str]:
    """Make 1001 what it says: the run after the restart finds a mark and does nothing."""
    ended = f"(echo done> {_DONE} & exit 1003)"
    changes.note("BOOT042", "exit 1001 restarts the machine, and the run after it ends at once")
    return [f"if exist {_DONE} exit 0", *(_RESTART.sub(lambda _: ended, line) for line in lines)]


def _joined(lines: list[str], changes: Changes) -> list[str]:
    found: list[str] = []
    for number, line in enumerate(lines):
        following = lines[number + 1 :]
        sentinel = _SENTINEL.search(line)
        if not commands.JOIN.search(line):
            found.append(line)
        elif sentinel is None:
            found.append(_ending(line, following, changes))
        else:
            found += _once(line, absolute(sentinel.group(1)), following, changes)
    return found


def _ending(line: str, following: list[str], changes: Changes) -> str:
    """A join without a sentinel: what follows does not run after it failed."""
    if not following or not any(hit.trap == "BOOT044" for hit in commands.look([line, "rem"])):
        return line
    changes.note("BOOT044", "the script ends where the join fails")
    return f"{line} || exit 1"


def _once(line: str, sentinel: str, following: list[str], changes: Changes) -> list[str]:
    """A join with its sentinel: not again where it is there, and the end where it is not after."""
    found = [line]
    if not line.lstrip().lower().startswith("if not exist"):
        found = [f"if not exist {sentinel} {line.strip()}"]
        changes.note(
            "BOOT042", "a join that succeeded is not tried again when all of this runs again"
        )
    ends = f"if not exist {sentinel} exit 1"
    if not any(
        text.lower().startswith(f"if not exist {sentinel} exit".lower()) for text in following
    ):
        found.append(ends)
        changes.note("BOOT044", "the script ends where the join fails")
    configuration = _CONFIGURATION.search(line)
    if configuration is None:
        return found
    removed = f"del {absolute(configuration.group(1))}"
    if removed.lower() not in [text.strip().lower() for text in following]:
        found.append(removed)
        changes.note("BOOT022", "the join configuration with its token is deleted after the join")
    return found


def _closed(secrets: Sequence[str], lines: list[str], changes: Changes) -> list[str]:
    found = []
    for path in dict.fromkeys(secrets):
        if not any(commands.closes(line, path) for line in lines):
            found.append(f'icacls "{path}" {ICACLS_CLOSED_FILE}')
            changes.note("BOOT022", f"{path} is closed to everybody but administrators")
    return found
