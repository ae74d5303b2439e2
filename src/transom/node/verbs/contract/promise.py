"""What promises are made of: a folder, names and a way to see a refusal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from transom.errors import PermanentError
from transom.node.host.protocols import Machine

Promise = Callable[[Machine], bool]

NAME = "transom-selftest"
FOLDER = rf"C:\{NAME}"
PATIENCE_S = 60


@contextmanager
def folder(machine: Machine) -> Iterator[str]:
    """An empty folder, removed afterwards with all that is in it."""
    machine.files.make_directory(FOLDER)
    try:
        yield FOLDER
    finally:
        machine.files.remove_tree(FOLDER)


def refuses(act: Callable[[], object]) -> bool:
    """Whether the host says that this cannot be done."""
    try:
        act()
    except PermanentError:
        return True
    return False
