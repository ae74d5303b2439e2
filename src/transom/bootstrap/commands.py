"""Commands of a cloud-config as cmd.exe takes them: what is in them that does not do what it says.

Given the lines of `runcmd`, one entry each. Nothing here changes the story.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

JOIN = re.compile(r"\bkubeadm(\.exe)?[\"']?\s+join\b", re.IGNORECASE)
WAITS_FOR_NAME = re.compile(
    r"^if(\s+/i)?\s+not\s+\"?%COMPUTERNAME%\"?==\S+\s+exit(\s+/b)?\s+1003",
    re.IGNORECASE | re.MULTILINE,
)
_ENDS_ON_FAILURE = re.compile(r"\|\|\s*\(?\s*(exit|goto|call\s*:)", re.IGNORECASE)
_ENDS_WITHOUT_SUCCESS = re.compile(r"^\s*if\s+not\s+exist\s+\S+\s+exit\b", re.IGNORECASE)
_EXIT = re.compile(r"\bexit(\s+/b)?\s+(1001|1002)\b", re.IGNORECASE)
_BATCH = re.compile(r"^\s*@?[\"']?([^\s\"'&|<>]+\.(bat|cmd))\b", re.IGNORECASE)
# A variable (%NAME%, %NAME:a=b%), an argument (%1, %~dp0, %*), a loop's variable (%%i) are fine.
_PERCENT = re.compile(r"%%|%[A-Za-z_(][^%\s]*%|%~?[a-z]*[0-9*]")
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_ARGUMENT = re.compile(r"%~?[a-z]*[0-9*]")
_CLOSING = re.compile(r"\s*icacls(?:\.exe)?\s+\"?([^\s\"]+)\"?\s.*/inheritance:r", re.IGNORECASE)
_FOREIGN = frozenset(
    [
        "sudo",
        "export",
        "systemctl",
        "chmod",
        "chown",
        "apt",
        "apt-get",
        "yum",
        "dnf",
        "bash",
        "sh",
        "source",
        "swapoff",
        "modprobe",
        "sysctl",
        "sed",
        "awk",
        "grep",
        "touch",
        "ln",
        "rm",
        "cp",
        "mv",
        "ls",
        "cat",
    ]
)


class Hit(NamedTuple):
    """A trap in one of the lines."""

    trap: str
    found: str
    number: int


def look(lines: Sequence[str]) -> Iterator[Hit]:
    """Every trap in the commands, by the number of the entry."""
    for number, line in enumerate(lines):
        yield from _exits(line, number)
        if JOIN.search(line):
            later = len(lines) - number - 1
            checked = _ENDS_ON_FAILURE.search(line) or (
                later and _ENDS_WITHOUT_SUCCESS.search(lines[number + 1])
            )
            if later and not checked:
                yield Hit("BOOT044", f"{later} more after the join", number)
            yield Hit("BOOT045", "kubeadm join", number)
        if (batch := _BATCH.match(line)) and number < len(lines) - 1:
            yield Hit("BOOT046", batch.group(1), number)
        yield from _percents(line, number)
        word = line.split(maxsplit=1)[0] if line.split() else ""
        if word in _FOREIGN or word.startswith(("/bin/", "/usr/", "/sbin/", "./")):
            yield Hit("BOOT049", word, number)


def closes(line: str, path: str) -> bool:
    """Whether a command takes a file, or the folder it is in, from everybody but those it names."""
    found = _CLOSING.match(line)
    if found is None:
        return False
    closed, wanted = found.group(1).lower().rstrip("\\"), path.lower()
    return wanted == closed or wanted.startswith(closed + "\\")


def with_percents(line: str) -> str:
    """The line with every percent sign doubled that begins no variable."""
    at, pieces = 0, []
    for found in _PERCENT.finditer(line):
        pieces += [line[at : found.start()].replace("%", "%%"), _kept(found.group(0))]
        at = found.end()
    return "".join([*pieces, line[at:].replace("%", "%%")])


def _kept(word: str) -> str:
    """A variable as it is; what only looks like an argument, as %20, doubled."""
    return word.replace("%", "%%") if _ARGUMENT.fullmatch(word) else word


def look_at_words(words: Sequence[object], number: int) -> Iterator[Hit]:
    """What is lost where a command is a list."""
    for word in words[1:]:
        text = str(word)
        if " " in text.strip() and not text.startswith('"'):
            yield Hit("BOOT048", text[:60], number)


def _exits(line: str, number: int) -> Iterator[Hit]:
    for found in _EXIT.finditer(line):
        yield Hit("BOOT042", found.group(0), number)


def _percents(line: str, number: int) -> Iterator[Hit]:
    rest = _PERCENT.sub("", line) if not _ESCAPE.search(line) else line.replace("%%", "")
    if "%" in rest and (_ESCAPE.search(rest) or rest.count("%") % 2):
        yield Hit("BOOT047", line.strip()[:60], number)
