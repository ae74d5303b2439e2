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


VERSION = re.compile(r"(?<![\d.])1\.(?:[12][0-9]|3[0-9])(?:\.\d+)?\b|\b10250\b|\b4789\b|\b4096\b")
IMAGE = re.compile(r"(?:\b[\w-]+\.)+[a-z]+(?::\d+)?/[\w./-]*[\w]:[\w][\w.-]*")


def is_fact(value):
    """Whether a literal is a version, port or image; prose, which has spaces, may name a version."""
    text = str(value)
    is_word = not re.search(r"\s", text)
    return bool((is_word and VERSION.search(text)) or IMAGE.search(text))


@pytest.mark.parametrize(
    "value",
    ["registry.k8s.io/pause:3.9", "see mcr.microsoft.com/oss/x:v1", "v1.37.1", ">=1.36", 4789],
)
def test_a_fact_is_known_wherever_it_stands_in_a_literal(value):
    assert is_fact(value)


@pytest.mark.parametrize(
    "value", ["https://dl.k8s.io/release", "wants 1.24 or newer", "C:/k/x.exe", 14096, "a/b:c"]
)
def test_what_is_no_version_port_or_image_is_let_through(value):
    assert not is_fact(value)


def docstrings(tree):
    return {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }


@pytest.mark.parametrize("folder", ["recipe", "node", "fleet", "addons", "bootstrap"])
def test_no_version_port_or_image_stands_in_code(folder):
    """Such things are facts; prose in docstrings, comments and hints may name examples."""
    for path in (SOURCE / folder).rglob("*.py"):
        if path.is_relative_to(SOURCE / "node" / "host"):
            continue  # constants of Windows itself
        tree = ast.parse(path.read_text("utf-8"))
        said = docstrings(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and id(node) not in said and is_fact(node.value):
                pytest.fail(f"{path.relative_to(ROOT)}:{node.lineno} has {node.value!r}")


def frozen_by_python(path):
    """The classes of a module that Python's own dataclass freezes, and which the house's could."""
    tree = ast.parse(path.read_text("utf-8"))
    imported = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "dataclasses"
        for alias in node.names
    }
    classes = (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    for node in classes:
        for call in node.decorator_list:
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "dataclass":
                options = {keyword.arg for keyword in call.keywords}
                if (
                    "dataclass" in imported
                    and "frozen" in options
                    and not options & {"order", "eq"}
                ):
                    yield node.name


def test_values_are_the_houses_records_and_python_dataclasses_are_for_what_changes():
    """One kind of record, beside NamedTuple; only what compares otherwise is Python's own."""
    found = {str(p.relative_to(SOURCE)): [*frozen_by_python(p)] for p in SOURCE.rglob("*.py")}
    assert {path: names for path, names in found.items() if names} == {}


def test_no_module_says_who_calls_it():
    """That rots; an editor knows it better."""
    said = re.compile(r"\b(?:Called|Used) by\b")
    for path in SOURCE.rglob("*.py"):
        docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        assert not said.search(docstring), path


def test_nothing_speaks_of_the_workplace():
    words = re.compile(r"(?<![\w.])/work/|shared/(?:reference|reviews)|lab-kit|helper-")
    for path in (*SOURCE.rglob("*.*"), *(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")):
        if path.suffix in (".py", ".toml", ".md"):
            text = path.read_text("utf-8")
            assert words.findall(text) == [], path
