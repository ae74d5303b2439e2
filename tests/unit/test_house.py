"""The house keeps its own rules: what ships to hosts, which folders there are, who may print."""

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "transom"
# What the node program is made of: these modules run on a Windows host with nothing installed.
SHIPPED = [
    SOURCE / "errors.py",
    *(SOURCE / "model").rglob("*.py"),
    *(SOURCE / "node").rglob("*.py"),
]
ALLOWED = ("transom", "transom.errors", "transom.model", "transom.node")


def imports(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def test_what_ships_to_hosts_imports_only_the_standard_library_and_itself():
    foreign = [
        f"{path.relative_to(SOURCE)}: {name}"
        for path in SHIPPED
        for name in imports(path)
        if name not in ALLOWED
        and not name.startswith(ALLOWED[1:])
        and (
            name.partition(".")[0] == "transom"
            or name.partition(".")[0] not in sys.stdlib_module_names
        )
    ]
    assert foreign == []


def test_the_architecture_names_every_top_folder_and_no_other():
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8")
    named = set(re.findall(r"^\*\*`([a-z_]+)/`\*\*", text, flags=re.MULTILINE))
    there = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    assert named == there


VERSION = re.compile(
    r"\b1\.(?:[12][0-9]|3[0-9])(?:\.\d+)?\b|registry\.k8s\.io|\b10250\b|\b4789\b|\b4096\b"
)


@pytest.mark.parametrize("folder", ["recipe", "node"])
def test_no_version_port_or_image_stands_in_code(folder):
    """Such things are facts; prose in docstrings, comments and hints may name examples."""
    for path in (SOURCE / folder).rglob("*.py"):
        if path.is_relative_to(SOURCE / "node" / "host"):
            continue  # constants of Windows itself
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Constant) and VERSION.fullmatch(str(node.value)):
                pytest.fail(f"{path.relative_to(ROOT)}:{node.lineno} has {node.value!r}")


def test_nothing_speaks_of_the_workplace():
    words = re.compile(r"(?<![\w.])/work/|shared/(?:reference|reviews)|lab-kit|helper-")
    for path in (*SOURCE.rglob("*.*"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")):
        if path.suffix in (".py", ".toml", ".md"):
            text = path.read_text("utf-8")
            assert words.findall(text) == [], path
