r"""The line that makes a shell of a Windows host run a program: cmd, PowerShell, or bash.

sshd hands a command to the shell that `DefaultShell` names. cmd and PowerShell read a line alike where
its first word is bare and the others are in double quotes: PowerShell takes a first word in quotes as a
text, and round brackets as a command of their own. bash reads a bare backslash as an escape, so it has a
form of its own. Which one a host has is asked once for each connection, by a command that is plain in all.
"""

import ntpath
import re
import shlex
from collections.abc import Sequence
from enum import Enum

from transom.errors import UsageError

_PLAIN_WORD = re.compile(r"[A-Za-z0-9_:\\./+=-]*[A-Za-z0-9_:./+=-]")
# No shell gives these a meaning; one that starts with a slash is a path to bash of Git for Windows.
_SAME_EVERYWHERE = re.compile(r"-?[A-Za-z0-9_]+|[A-Za-z0-9_][A-Za-z0-9_.+=/]*")
_POSIX = ("ash", "bash", "busybox", "dash", "ksh", "sh", "zsh")
# Git for Windows and MSYS2 turn arguments that look like paths of Unix into paths of Windows, unless told.
_AS_THEY_ARE = "MSYS_NO_PATHCONV=1 MSYS2_ARG_CONV_EXCL='*'"
_MARK = "shell"

# Every shell of this family counts itself in SHLVL and hands it on; the key is OpenSSH's own.
WHICH = (
    f"'{_MARK} ' + $env:SHLVL + ' ' + (Get-ItemProperty HKLM:\\SOFTWARE\\OpenSSH "
    "-Name DefaultShell -ErrorAction Ignore).DefaultShell\n"
)
"""The line of a script that tells which shell started it."""


class Shell(Enum):
    """How a host's shell reads a line."""

    WINDOWS = "cmd or PowerShell"
    POSIX = "bash"


def told(stdout: bytes) -> tuple[Shell | None, bytes]:
    """What `WHICH` said, and the rest; None where it said nothing."""
    first, _, rest = stdout.partition(b"\n")
    mark, _, said = first.decode(errors="replace").rstrip("\r").partition(" ")
    if mark != _MARK:
        return None, stdout
    level, _, path = said.partition(" ")
    name = ntpath.splitext(ntpath.basename(path.strip('" ')))[0].lower()
    return Shell.POSIX if level or name in _POSIX else Shell.WINDOWS, rest


def is_plain(command: Sequence[str]) -> bool:
    """Whether every shell reads it the same."""
    return all(_SAME_EVERYWHERE.fullmatch(word) for word in command)


def line_of(command: Sequence[str], shell: Shell) -> str:
    """The line that runs a command with exactly these words."""
    unsafe = [word for word in command if _PLAIN_WORD.fullmatch(word) is None]
    if unsafe:
        raise UsageError(f"{unsafe[0]!r} cannot be part of a command on a host")
    if is_plain(command):
        return " ".join(command)
    program, *words = command
    if shell is Shell.POSIX:
        program = program.replace("\\", "/")
        return " ".join((_AS_THEY_ARE, program, *(shlex.quote(word) for word in words)))
    return " ".join((program, *(f'"{word}"' for word in words)))
