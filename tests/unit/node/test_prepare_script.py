"""Prepare-Node.ps1, read with a grammar of PowerShell: it parses, and says nothing 5.1 cannot."""

import re

import pytest
import tree_sitter_powershell
from tree_sitter import Language, Node, Parser

from transom.bootstrap.compile import carried
from transom.fleet.script import script
from transom.model import sddl
from transom.node.verbs.arguments import parser

SOURCE = script()
# All that Windows PowerShell 5.1 brings, and one program of Windows.
COMMANDS = {
    *(
        "ConvertFrom-Json",
        "ConvertTo-Json",
        "Copy-Item",
        "Expand-Archive",
        "Get-ChildItem",
        "Get-FileHash",
    ),
    *("Invoke-WebRequest", "Join-Path", "Move-Item", "New-Item", "New-Object", "Out-Null"),
    *("Read-Host", "Remove-Item", "Set-StrictMode", "Test-Path", "icacls.exe"),
    *("ForEach-Object", "Get-Acl", "Get-ChildItem", "Get-Item", "Split-Path"),
}


def parsed(source: bytes) -> Node:
    return Parser(Language(tree_sitter_powershell.language())).parse(source).root_node


def walk(node):
    yield node
    for child in node.children:
        yield from walk(child)


def texts(kind):
    return [
        SOURCE[n.start_byte : n.end_byte].decode() for n in walk(parsed(SOURCE)) if n.type == kind
    ]


def test_it_parses_without_an_error():
    assert not parsed(SOURCE).has_error
    assert parsed(SOURCE + b"\r\nif ($a { 'b' }\r\n").has_error


def test_it_uses_nothing_that_windows_powershell_lacks():
    assert set(texts("command_name")) <= COMMANDS | set(texts("function_name"))
    assert not texts("pipeline_chain_tail")


def test_every_download_and_native_program_is_waited_for_with_its_code():
    text = SOURCE.decode()
    assert "-TimeoutSec" in text
    assert text.rstrip().endswith("exit $LASTEXITCODE")


@pytest.mark.parametrize("verb", ["prepare", "join"])
def test_the_program_knows_every_option_it_is_given(verb):
    given = set(re.findall(r"(?<![\w-])--[a-z-]+", SOURCE.decode()))
    if verb == "prepare":
        given.remove("--join-config")
    words = [word for option in sorted(given) for word in (option, "text")]
    assert parser().parse_args([verb, *words]).verb == verb


def test_the_token_is_asked_for_without_echo_and_never_an_argument():
    (asked,) = [text for text in texts("command") if text.startswith("Read-Host")]
    assert "-AsSecureString" in asked
    calls = [text for text in texts("command") if "$command" in text]
    assert len(calls) == 3
    assert not [text for text in calls if "$secret" in text or "Password" in text]


def test_the_folder_is_closed_and_its_owners_checked_before_anything_in_it_is_read_or_started():
    text = SOURCE.decode()
    body = text[text.index("function New-ClosedFolder") :]
    order = ("Assert-Ours (Get-Item", "& icacls.exe", "-Recurse", "$made = New-ClosedFolder")
    reads = ("ReadAllText($Brought)", "Test-Sum $Program", "& $command $Program prepare")
    places = [body.index(word) for word in (*order, *reads)]
    assert places == sorted(places)


def test_every_script_trusts_the_same_owners():
    names = {"S-1-5-18": sddl.SYSTEM, "S-1-5-32-544": sddl.ADMINISTRATORS}
    for source in (SOURCE, carried("owners.ps1")):
        (line,) = re.findall(r"(?im)^\$trusted = (.*)$", source.decode())
        found = {names.get(sid, sid) for sid in re.findall(r"'([^']+)'", line)}
        assert found == sddl.TRUSTED_OWNERS


def test_the_script_of_owners_parses_and_uses_only_what_windows_powershell_has():
    source = carried("owners.ps1")
    tree = parsed(source)
    assert not tree.has_error
    found = {
        source[n.start_byte : n.end_byte].decode() for n in walk(tree) if n.type == "command_name"
    }
    assert found <= COMMANDS | {"Assert-Ours"}
