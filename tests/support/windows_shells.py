r"""How cmd, Windows PowerShell and Windows itself read a line, as far as our lines need it.

Small models of documented rules; whatever they do not cover raises, so that a line outside of them is
noticed. bash is not modelled: it runs here.

Sources: `cmd /?` (what /c does with quotes) and learn.microsoft.com "cmd"; learn.microsoft.com
"about_Parsing" (argument mode, expression mode) and "about_Quoting_Rules"; PowerShell issue 6291 (`-a.b` is
passed as two arguments); learn.microsoft.com "Parsing C command-line arguments" and CommandLineToArgvW;
PowerShell/openssh-portable@a915f06 contrib/win32/win32compat/w32-doexec.c (`cmd /c "LINE"`, others
`-c LINE` as one argument).
"""

import re
from collections.abc import Callable, Mapping

Environment = Mapping[str, str]


class MisreadError(Exception):
    """The shell would not run one program with these words."""


def argv(line: str) -> tuple[str, ...]:
    """The arguments that a program of C finds in its command line."""
    program = re.match(r'"([^"]*)"|([^ \t"]+)', line)
    if program is None:
        raise MisreadError(f"no program in {line!r}")
    words = [program[1] or program[2]]
    rest = line[program.end() :].lstrip(" \t")
    while rest:
        word, rest = _argument(rest)
        words.append(word)
    return tuple(words)


def _argument(text: str) -> tuple[str, str]:
    """One argument; backslashes count only before a quote."""
    said, is_quoted, at = "", False, 0
    while at < len(text) and (is_quoted or text[at] not in " \t"):
        slashes = len(text) - at - len(text[at:].lstrip("\\"))
        if slashes and text[at + slashes : at + slashes + 1] == '"':
            said += "\\" * (slashes // 2)
            at += slashes
            if slashes % 2:
                said, at = said + '"', at + 1
        elif text[at] == '"':
            is_quoted, at = not is_quoted, at + 1
        else:
            said, at = said + text[at : at + max(slashes, 1)], at + max(slashes, 1)
    return said, text[at:].lstrip(" \t")


def cmd(line: str, environment: Environment | None = None) -> tuple[str, ...]:
    """What `cmd /c "LINE"` starts: its own outer quotes are gone, everything else is handed on as it is."""
    for name in re.findall(r"%([^%]+)%", line):
        line = line.replace(f"%{name}%", (environment or {}).get(name, f"%{name}%"))
    if re.search(r"[&|<>^()]", re.sub(r'"[^"]*"', "", line)):
        raise MisreadError(f"cmd takes a part of {line!r} as its own")
    # An unquoted slash, comma, semicolon or equals sign ends the name of a program.
    if not line.startswith('"') and re.match(r"[^ ]*[/,;=]", line):
        raise MisreadError(f"cmd starts only the beginning of {line!r}")
    return argv(line)


def powershell(line: str) -> tuple[str, ...]:
    """What `powershell -c LINE` starts: a bare first word is a command, one in quotes is a text."""
    words: list[str] = []
    rest = line
    while rest:
        quoted = re.match(r'"([^"$`]*)"(?= |$)', rest)
        bare = re.match(r"[^\s(){};,|&$`\"'@<>#]+(?= |$)", rest)
        found = quoted or bare
        if found is None:
            raise MisreadError(f"PowerShell reads {rest!r} as an expression")
        if quoted and not words:
            raise MisreadError(f"PowerShell prints the text {rest!r}")
        text = quoted[1] if quoted else rest[: found.end()]
        dashed = None if quoted else re.fullmatch(r"(-[^.]+)(\.\S+)", text)
        words += [dashed[1], dashed[2]] if dashed else [text]
        rest = rest[found.end() :].lstrip(" ")
    # Handed on as a command line again, with quotes only where there is a space.
    return argv(" ".join(f'"{word}"' if " " in word else word for word in words))


SHELLS: Mapping[str, Callable[[str], tuple[str, ...]]] = {"cmd": cmd, "powershell": powershell}
