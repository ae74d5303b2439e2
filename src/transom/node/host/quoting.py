"""Windows command lines: one text from an argument list, and back.

By the rules of the Microsoft C run-time, which the programs we start follow: used for service
command lines, which the service manager keeps as one text.
"""

import re

_PLAIN = re.compile(r'[^\s"]+')


def join_arguments(arguments: tuple[str, ...]) -> str:
    """Quote each argument as far as it needs and join them by spaces."""
    return " ".join(quote(argument) for argument in arguments)


def quote(argument: str) -> str:
    """One argument as a command line must spell it."""
    if _PLAIN.fullmatch(argument):
        return argument
    # Backslashes are literal unless they precede a quotation mark: then each counts double.
    escaped = re.sub(r'(\\*)"', r'\1\1\\"', argument)
    escaped = re.sub(r"(\\+)$", r"\1\1", escaped)
    return f'"{escaped}"'


def split_arguments(line: str) -> tuple[str, ...]:
    """Split a command line as the program that receives it will."""
    arguments, position = [], 0
    while position < len(line):
        if line[position] in " \t":
            position += 1
        else:
            argument, position = _next_argument(line, position)
            arguments.append(argument)
    return tuple(arguments)


def _next_argument(line: str, position: int) -> tuple[str, int]:
    text: list[str] = []
    quoted = False
    while position < len(line) and (quoted or line[position] not in " \t"):
        slashes = len(line) - position - len(line[position:].lstrip("\\"))
        position += slashes
        if position < len(line) and line[position] == '"':
            text.append("\\" * (slashes // 2))
            if slashes % 2:
                text.append('"')
            else:
                quoted = not quoted
            position += 1
        elif slashes:
            text.append("\\" * slashes)
        else:
            text.append(line[position])
            position += 1
    return "".join(text), position
