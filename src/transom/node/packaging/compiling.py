"""The program compiled by the host's own Python and kept beside it, so that it starts sooner.

`zip_main` uses what it leaves; a program of other bytes or another Python does without.
"""

import io
import marshal
import ntpath
import sys
import zipfile
from collections.abc import Iterator
from functools import cache
from importlib.util import source_hash
from zipimport import zipimporter

from transom.errors import PermanentError
from transom.node.host.nouns.files import Files
from transom.node.host.values import PathKind
from transom.node.layout import Layout
from transom.node.packaging.zip_main import compiled_name

_PREFIX = "node-"
_INIT = "/__init__.py"


def keep_compiled(files: Files, layout: Layout) -> None:
    """Have what this very program compiles to beside it, and nothing of older ones."""
    program = files.read(layout.program)
    wanted = compiled_name(program)
    for name in files.entries(layout.home):
        if name != wanted and name.startswith(_PREFIX):
            files.remove(ntpath.join(layout.home, name))
    path = ntpath.join(layout.home, wanted)
    if files.kind(path) is PathKind.ABSENT:
        try:
            files.write(path, compiled(program))
        except (zipfile.BadZipFile, SyntaxError) as error:
            raise PermanentError(
                f"cannot compile {layout.program}: {error}",
                subject=layout.program,
                hint="Bring it again.",
            ) from error


@cache
def compiled(program: bytes) -> bytes:
    """The modules of a zip and those of the library that this process has, behind their sum."""
    content = marshal.dumps(dict([*_of_library(), *_of_program(program)]))
    return source_hash(content) + content


def _of_program(program: bytes) -> Iterator[tuple[str, tuple[list[str] | None, bytes]]]:
    with zipfile.ZipFile(io.BytesIO(program)) as source:
        for file in source.namelist():
            name = file.removesuffix(_INIT).removesuffix(".py").replace("/", ".")
            code = compile(source.read(file), file, "exec", dont_inherit=True)
            # All of a package is in here, so there is nowhere else to look.
            yield name, ([] if file.endswith(_INIT) else None, marshal.dumps(code))


def _of_library() -> Iterator[tuple[str, tuple[list[str] | None, bytes]]]:
    """What Python found in a zip, as the embeddable one has its library; elsewhere it is quick."""
    for name, module in list(sys.modules.items()):
        spec = getattr(module, "__spec__", None)
        if spec is not None and isinstance(spec.loader, zipimporter):
            code = marshal.dumps(spec.loader.get_code(spec.name))
            yield name, (spec.submodule_search_locations, code)
