"""Every script the product ships or sends: what fails in it ends it, with a code that says so.

PowerShell goes on after an error, and after a native program whatever it ended with, unless told
otherwise; `exit` makes 0 of nothing and of a number that is no Int32. cmd.exe goes on after everything.
"""

import base64
import re
from collections.abc import Iterator
from importlib.resources import files

import pytest
import tree_sitter_powershell
from tests.support.bootstrap_compile import plan
from tree_sitter import Language, Node, Parser

from transom.bootstrap.compile import compile_boot_data
from transom.fleet.on_host import ssh_server, windows_update
from transom.fleet.script import script
from transom.image.packer.render import _policy
from transom.remote import winrm


def unpacked(encoded):
    """What PowerShell runs of `-EncodedCommand`."""
    return base64.b64decode(encoded).decode("utf-16-le")


UPDATE = unpacked(windows_update.COMMAND[-1])
POWERSHELL = {
    "Prepare-Node.ps1": script().decode(),
    "windows_update, as SYSTEM": unpacked(re.findall(r"-EncodedCommand ([\w+/=]+)", UPDATE)[0]),
    "windows_update, in the session": UPDATE,
    "winrm, files": unpacked(winrm._FILES[-1]),
    "ssh_server": unpacked(ssh_server.COMMAND[-1]),
    "boot data": compile_boot_data(plan(), "script").decode(),
}
# Sent as -EncodedCommand: people read what they write to stderr.
SENT = [name for name in POWERSHELL if name not in ("Prepare-Node.ps1", "boot data")]
TRAP = "trap { [Console]::Error.WriteLine($_); exit 1 }"
STOP = re.compile(r"\$ErrorActionPreference = 'Stop'")
# Before the preference: nothing that can fail.
HARMLESS = re.compile(
    r"(<#.*?#>|#[^\n]*|\[CmdletBinding\(\)\]|param\(.*?\n\)|Set-StrictMode [^\n]*)", re.DOTALL
)
CODES = re.compile(r"exit (\d+|\$LASTEXITCODE|\[int\]\(.*\)|\$Code)$")
NATIVE = re.compile(r"^(icacls|.*\.exe)$", re.IGNORECASE)


def parsed(text: str) -> Node:
    return Parser(Language(tree_sitter_powershell.language())).parse(text.encode()).root_node


def walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from walk(child)


def said(node: Node) -> str:
    assert node.text is not None
    return node.text.decode()


def is_native(command: Node) -> bool:
    """Whether it starts a program: called by its name, or by a variable that holds its path."""
    kinds = {child.type for child in command.children}
    name = next((said(child) for child in command.children if "command_name" in child.type), "")
    return "command_invokation_operator" in kinds or bool(NATIVE.match(name))


def what_follows(node: Node) -> str:
    """The statement after the one that a node is in, or after the block that one ends."""
    while node.parent is not None:
        siblings = node.parent.named_children
        place = siblings.index(node)
        if node.parent.type in ("statement_list", "program") and place + 1 < len(siblings):
            return said(siblings[place + 1])
        node = node.parent
    return ""


def unchecked(text: str) -> list[str]:
    natives = [node for node in walk(parsed(text)) if node.type == "command" and is_native(node)]
    return [said(node) for node in natives if "$LASTEXITCODE" not in what_follows(node)]


def strange_exits(text: str) -> list[str]:
    exits = [said(n) for n in walk(parsed(text)) if n.type == "flow_control_statement"]
    return [one for one in exits if one.startswith("exit") and not CODES.match(one)]


def starts_with_stop(text: str) -> bool:
    rest = HARMLESS.sub("", text.replace("\r\n", "\n").replace(TRAP, "")).lstrip()
    return bool(STOP.match(rest))


EVERY = pytest.mark.parametrize("text", POWERSHELL.values(), ids=list(POWERSHELL))


@EVERY
def test_it_parses(text):
    assert not parsed(text).has_error


@EVERY
def test_it_stops_at_the_first_error(text):
    assert starts_with_stop(text)


@EVERY
def test_it_ends_with_no_code_that_may_be_nothing_or_no_int32(text):
    assert strange_exits(text) == []


@EVERY
def test_the_code_of_every_native_program_is_looked_at(text):
    assert unchecked(text) == []


@pytest.mark.parametrize("name", SENT)
def test_what_is_sent_says_in_plain_words_why_it_ends(name):
    assert POWERSHELL[name].strip().startswith(TRAP)


def test_the_join_file_is_written_only_into_a_folder_that_was_closed():
    lines = POWERSHELL["boot data"].split("\r\n")
    closing = [n for n, line in enumerate(lines) if line.startswith("icacls ")]
    assert len(closing) == 2
    for number in closing:
        assert lines[number + 1].startswith("if ($LASTEXITCODE -ne 0) { throw ")
    token = next(n for n, line in enumerate(lines) if r"Put 'C:\run\kubeadm" in line)
    assert max(closing) < token


@pytest.mark.parametrize(
    ("text", "judge"),
    [
        ("$s = New-Object -ComObject X\nexit 0", lambda text: not starts_with_stop(text)),
        ("exit (Get-ScheduledTaskInfo x).LastTaskResult", strange_exits),
        ("exit $null", strange_exits),
        ("exit $r", strange_exits),
        ("icacls 'C:\\x' /grant:r a | Out-Null\nPut 'C:\\x\\y' 'z'", unchecked),
        ("if ($x) {\n  & $command join\n}\nPut 'y'", unchecked),
    ],
)
def test_the_judges_know_what_is_wrong(text, judge):
    assert judge(text)


CMD = {
    **{
        f"image {item.name}": item.read_text().replace("\r\n", "\n")
        for item in files("transom.image.packer.windows").iterdir()
        if item.name.endswith(".cmd")
    },
    "image policy.cmd": _policy().decode().replace("\r\n", "\n"),
    "boot.cmd": (files("transom.bootstrap.windows") / "boot.cmd").read_text(),
}
# A machine whose setup fails cannot be reached, and one that was not generalised is found out by
# generalized.cmd or by its builder: neither becomes an image.
NOT_JUDGED = {"image setup.cmd", "image finish.cmd", "image sysprep.cmd", "image generalized.cmd"}
PROGRAM = re.compile(r'^("?[\w%:\\]*\.exe"?|"%\w+%"|(move|copy) )', re.IGNORECASE)


@pytest.mark.parametrize("name", sorted(set(CMD) - NOT_JUDGED))
def test_a_command_file_goes_on_only_after_what_went_well(name):
    lines = [line.strip() for line in CMD[name].splitlines() if line.strip()]
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if PROGRAM.match(line):
            assert re.match(r"if (not )?errorlevel 1 |exit /b %ERRORLEVEL%", following), line
