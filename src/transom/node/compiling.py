"""The program compiled by the host's own Python and kept beside it, so that it starts sooner.

Called by the verb `compile`, which whoever brings the program asks for once. `zip_main` uses what it
leaves; a program of other bytes or another Python does without.
"""

import io
import marshal
import ntpath
import zipfile
from functools import cache
from importlib.util import MAGIC_NUMBER, source_hash

from transom.errors import PermanentError
from transom.node.host.nouns.files import Files
from transom.node.host.values import PathKind
from transom.node.layout import Layout
from transom.node.zip_main import compiled_name

_UNCHECKED_HASH = (1).to_bytes(4, "little")  # PEP 552: the name of the file says of what it is
_PREFIX, _SUFFIX = "node-", ".zip"


def keep_compiled(files: Files, layout: Layout) -> None:
    """Have what this very program compiles to beside it, and nothing of older ones."""
    program = files.read(layout.program)
    wanted = compiled_name(program)
    for name in files.entries(layout.home):
        if name != wanted and name.startswith(_PREFIX) and name.endswith(_SUFFIX):
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
    """The modules of a zip as a zip of their bytecode; stored, because that is read the quickest."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(program)) as source, zipfile.ZipFile(buffer, "w") as target:
        for name in source.namelist():
            text = source.read(name)
            code = marshal.dumps(compile(text, name, "exec", dont_inherit=True))
            target.writestr(f"{name}c", MAGIC_NUMBER + _UNCHECKED_HASH + source_hash(text) + code)
    return buffer.getvalue()
