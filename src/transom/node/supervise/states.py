"""What kept programs last said of themselves, beside the journal: written by `run`, read by `status`."""

import json
import ntpath
from collections.abc import Iterator

from transom.model.answers import ProgramState
from transom.model.codec import decode, encode
from transom.node.host.nouns.files import Files, ReadFiles
from transom.node.host.values import PathKind
from transom.node.layout import Layout

_KIND = "json"


def keep_state(files: Files, layout: Layout, state: ProgramState) -> None:
    """Write down how a program is."""
    path = layout.program_file(state.name, _KIND)
    files.make_directory(ntpath.dirname(path))
    files.write(path, json.dumps(encode(state)).encode())


def program_states(files: ReadFiles, layout: Layout) -> Iterator[ProgramState]:
    """How each program is, by name."""
    if files.kind(layout.programs) is not PathKind.DIRECTORY:
        return
    for name in files.entries(layout.programs):
        if name.endswith(f".{_KIND}"):
            yield decode(ProgramState, json.loads(files.read(ntpath.join(layout.programs, name))))
