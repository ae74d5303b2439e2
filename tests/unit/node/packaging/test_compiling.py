"""The program compiled on its host: used only for the very bytes and the Python it was made of and by."""

import marshal
import runpy
import sys
import zipfile
from pathlib import Path

import pytest

import transom
from transom.errors import PermanentError
from transom.node.layout import Layout
from transom.node.packaging.build import build_node_zip
from transom.node.packaging.compiling import compiled, keep_compiled
from transom.node.packaging.zip_main import SUM_BYTES, Compiled, compiled_name
from transom.testing.simulated_host import SimulatedHost

PROGRAM = build_node_zip(Path(transom.__file__).parent)


@pytest.fixture
def host():
    machine = SimulatedHost()
    machine.files.make_directory(Layout().home)
    machine.files.write(Layout().program, PROGRAM)
    return machine


@pytest.fixture
def started(tmp_path, monkeypatch):
    """A program on this disk; starting it tells where its modules came from."""
    program = tmp_path / "node.pyz"
    program.write_bytes(PROGRAM)
    elsewhere = [path for path in sys.path if not path.endswith("src")]
    finders = [finder for finder in sys.meta_path if "editable" not in str(finder)]
    monkeypatch.setattr(sys, "path", elsewhere)
    monkeypatch.setattr(sys, "meta_path", finders)
    monkeypatch.setattr(sys, "argv", [str(program), "status"])
    kept = {name: sys.modules.pop(name) for name in ours()}

    def start():
        with pytest.raises(SystemExit):
            runpy.run_path(str(program), run_name="__main__")
        origin = origin_of("transom.node.verbs.program")
        return next(path for path in tmp_path.iterdir() if origin.startswith(str(path)))

    yield program, start
    for name in ours():
        del sys.modules[name]
    sys.modules.update(kept)


def ours():
    return [name for name in sys.modules if name.partition(".")[0] == "transom"]


def origin_of(module):
    spec = sys.modules[module].__spec__
    assert spec is not None
    return str(spec.origin)


def names(host):
    return host.files.entries(Layout().home)


def test_a_start_uses_what_was_compiled(started, capsys):
    program, start = started
    beside = program.with_name(compiled_name(PROGRAM))
    beside.write_bytes(compiled(PROGRAM))
    assert start() == beside
    assert "runs on Windows" in capsys.readouterr().out


def test_a_start_without_it_or_with_that_of_other_bytes_uses_the_program_itself(started, capsys):
    program, start = started
    program.with_name(compiled_name(PROGRAM + b"\0")).write_bytes(b"of another version")
    assert start() == program
    assert "runs on Windows" in capsys.readouterr().out


def test_a_start_does_without_what_was_damaged(started, capsys):
    program, start = started
    beside = program.with_name(compiled_name(PROGRAM))
    beside.write_bytes(compiled(PROGRAM)[:-1])
    assert start() == program
    assert "runs on Windows" in capsys.readouterr().out


def test_what_python_keeps_in_a_zip_is_compiled_as_well(tmp_path, monkeypatch):
    library = tmp_path / "library.zip"
    with zipfile.ZipFile(library, "w") as archive:
        archive.writestr("shelf/__init__.py", "book = 'read'")
        archive.writestr("shelf/lower.py", "book = 'not yet'")
    monkeypatch.syspath_prepend(str(library))
    from shelf import book  # type: ignore[import-not-found]

    assert book == "read"
    made = marshal.loads(compiled.__wrapped__(PROGRAM)[SUM_BYTES:])  # noqa: S302 - made here
    assert "transom.node.steps.join" in made
    del sys.modules["shelf"]
    monkeypatch.setattr(sys, "meta_path", [Compiled("beside", made), *sys.meta_path])
    from shelf import lower

    assert (origin_of("shelf"), lower.book) == ("beside", "not yet")
    for name in ("shelf", "shelf.lower"):
        del sys.modules[name]


def test_compiling_again_writes_nothing_and_a_new_program_leaves_nothing_of_the_old(host):
    keep_compiled(host.files, Layout())
    first = names(host)
    assert first == (compiled_name(PROGRAM), "node.pyz")
    keep_compiled(host.files, Layout())
    assert names(host) == first
    other = PROGRAM + b"\0"
    host.files.write(Layout().program, other)
    keep_compiled(host.files, Layout())
    assert names(host) == (compiled_name(other), "node.pyz")


def test_what_is_no_program_is_named(host):
    host.files.write(Layout().program, b"half of it")
    with pytest.raises(PermanentError, match=r"cannot compile C:\\k\\transom\\node.pyz"):
        keep_compiled(host.files, Layout())
