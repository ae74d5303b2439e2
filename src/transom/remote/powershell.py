"""A script for Windows PowerShell as one command that every shell reads the same.

The script is packed as base64, so that no character of it means anything to a shell. An error ends it
with 1 and one plain line: without the trap, Windows PowerShell writes errors of an encoded command as XML.
"""

import base64

TRAP = "trap { [Console]::Error.WriteLine($_); exit 1 }\n"
_WORDS = ("powershell", "-NoProfile", "-NonInteractive", "-EncodedCommand")


def command(script: str) -> tuple[str, ...]:
    """The words that run a script."""
    return *_WORDS, encoded(TRAP + script.strip())


def encoded(script: str) -> str:
    """A script as `-EncodedCommand` takes it."""
    return base64.b64encode(script.encode("utf-16-le")).decode()


def decoded(words: tuple[str, ...]) -> str | None:
    """The script in a command of `command`; None where it is another command."""
    if words[:-1] != _WORDS:
        return None
    return base64.b64decode(words[-1]).decode("utf-16-le").removeprefix(TRAP)
