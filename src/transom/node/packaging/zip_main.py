"""Where node.pyz begins: with what the host's own Python compiled of these very bytes, if it did.

Becomes `__main__.py` of the zip. It decides where the program is imported from, so it imports nothing
of the program itself, and of the library only what Python has at hand by then. To find, open and unpack
a module in a zip takes longer than to run it, and a program has hundreds of them, those of the library
included: so they all are in one file, read at once.
"""

import _thread
import marshal
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import source_hash

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    # Where submodules are looked for, None where there are none; and the bytecode.
    Modules = Mapping[str, tuple[list[str] | None, bytes]]

SUM_BYTES = 8


class Compiled:
    """Finds the modules that one file has; every other is found as ever."""

    def __init__(self, path: str, modules: "Modules") -> None:
        self._path, self._modules = path, modules

    def find_spec(
        self, name: str, _path: object = None, _target: object = None
    ) -> ModuleSpec | None:
        """Where a module comes from, if from here."""
        if name not in self._modules:
            return None
        spec = ModuleSpec(name, self, origin=self._path)  # type: ignore[arg-type]
        spec.submodule_search_locations = self._modules[name][0]
        return spec

    def create_module(self, _spec: ModuleSpec) -> None:
        """Modules are made in the usual way."""

    def exec_module(self, module: "ModuleType") -> None:
        """Run a module's bytecode."""
        exec(marshal.loads(self._modules[module.__name__][1]), vars(module))  # noqa: S102, S302 - as trusted as the program beside it


def compiled_name(program: bytes) -> str:
    """The file beside the program that has it compiled by this Python, and no other."""
    python = f"{sys.version} {sys.base_prefix}".encode()
    return f"node-{source_hash(program + python).hex()}.{sys.implementation.cache_tag}.bin"


def _prefer_compiled(program: str) -> None:
    with open(program, "rb") as file:  # noqa: PTH123 - pathlib takes long to import
        name = compiled_name(file.read())
    path = os.path.join(os.path.dirname(program), name)  # noqa: PTH118, PTH120 - same
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - same
            content = file.read()
    except OSError:
        return
    behind = memoryview(content)[SUM_BYTES:]
    if source_hash(behind) == content[:SUM_BYTES]:
        modules = marshal.loads(behind)  # noqa: S302 - as trusted as the program beside it
        sys.meta_path.insert(sys.meta_path.index(PathFinder), Compiled(path, modules))


if __name__ == "__main__":
    _prefer_compiled(sys.argv[0])
    # Windows loads its libraries while Python goes on; every verb needs them.
    _thread.start_new_thread(__import__, ("ctypes",))

    if sys.argv[1:2] == ["kubelet"]:
        # A service that has to report soon: nothing of the other verbs is imported.
        from transom.node.supervise import kubelet

        sys.exit(kubelet.main(sys.argv[2:]))

    from transom.node.verbs.program import main

    sys.exit(main())
