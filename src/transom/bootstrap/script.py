"""Scripts: which interpreter cloudbase-init takes, by first line, tag or file name."""

import ntpath
import re
from typing import NamedTuple

from transom.bootstrap.machine import Machine
from transom.bootstrap.story import Telling

# In the order they are tried; only the last is looked for anywhere in the text.
_HEADERS = (
    ("cmd", re.compile(rb"^rem\s+cmd\s")),
    ("python", re.compile(rb"^#!\s*/usr/bin/env\s+python\s")),
    ("bash", re.compile(rb"^#!")),
    ("powershell", re.compile(rb"^#(ps1|ps1_sysnative)\s")),
    ("powershell-x86", re.compile(rb"^#ps1_x86\s")),
    ("ec2", re.compile(rb"</?(script|powershell)>")),
)
_EXTENSIONS = {".cmd": "cmd", ".py": "python", ".exe": "cmd", ".sh": "bash", ".ps1": "powershell"}
_BLOCKS = (
    ("cmd", re.compile(rb"<script>([\s\S]+?)</script>")),
    ("powershell", re.compile(rb"<powershell>([\s\S]+?)</powershell>")),
)


class Block(NamedTuple):
    """One of the scripts between tags, as EC2 has them."""

    interpreter: str
    script: str


def interpreter_of(data: bytes) -> str:
    """Who runs this text; nobody is empty."""
    return next((name for name, header in _HEADERS if header.search(data)), "")


def interpreter_of_name(name: str) -> str:
    """Who runs a file of that name, whatever is in it; nobody is empty."""
    return _EXTENSIONS.get(ntpath.splitext(name)[1].lower(), "")


def run_text(data: bytes, telling: Telling, machine: Machine) -> int | None:
    """Tell that a text is run, and how it ends; None where nobody would run it."""
    interpreter = interpreter_of(data)
    if not interpreter:
        return None
    script = data.decode(errors="replace")
    if interpreter != "ec2":
        telling.ran(interpreter, script)
        return machine.exit_code(script)
    blocks = blocks_of(data)
    telling.ran("ec2", script, blocks=[block._asdict() for block in blocks])
    return sum(machine.exit_code(block.script) for block in blocks)


def blocks_of(data: bytes) -> list[Block]:
    """The scripts between tags in the order they run: all of cmd before any of PowerShell."""
    return [
        Block(interpreter, code.strip().decode(errors="replace"))
        for interpreter, tag in _BLOCKS
        for code in tag.findall(data)
        if code.strip()
    ]
