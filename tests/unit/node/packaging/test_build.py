"""node.pyz has what the node program imports, and the same bytes for the same sources."""

import ast
import io
import sys
import zipfile
from pathlib import Path

import transom
from transom.node.packaging.build import build_node_zip

PACKAGE = Path(transom.__file__).parent


def test_the_same_sources_give_the_same_bytes(tmp_path):
    copy = tmp_path / "transom"
    for path in sorted(PACKAGE.rglob("*.py"), reverse=True):
        target = copy / path.relative_to(PACKAGE)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert build_node_zip(copy) == build_node_zip(PACKAGE)


def test_everything_that_is_imported_is_there_or_in_the_standard_library():
    with zipfile.ZipFile(io.BytesIO(build_node_zip(PACKAGE))) as archive:
        sources = {name: archive.read(name) for name in archive.namelist()}
    for name, source in sources.items():
        for module in imported(source):
            path = module.replace(".", "/")
            shipped = f"{path}.py" in sources or f"{path}/__init__.py" in sources
            assert shipped or module.split(".")[0] in sys.stdlib_module_names, f"{name}: {module}"


def imported(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None
            yield node.module


def test_nothing_is_deflated_so_that_no_release_of_zlib_has_bytes_of_its_own():
    with zipfile.ZipFile(io.BytesIO(build_node_zip(PACKAGE))) as archive:
        assert {entry.compress_type for entry in archive.infolist()} == {zipfile.ZIP_STORED}
