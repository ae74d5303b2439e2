"""The log of a program that runs as a service: a file, and the one before it."""

from dataclasses import dataclass

from transom.model.recipe import Program
from transom.node.engine.kept_recipe import kept_recipe
from transom.node.host.protocols import Machine
from transom.node.host.values import PathKind
from transom.node.layout import Layout

_BEFORE = ".1"
_EARLY_BYTES = 1 << 20


@dataclass(slots=True)
class ProgramLog:
    """Appends lines where the recipe says; a file that has grown too long becomes the one before."""

    machine: Machine
    layout: Layout
    name: str
    _program: Program | None = None

    def write(self, line: bytes) -> None:
        """Add a line."""
        path, limit = self._place()
        files, disk = self.machine.files, self.machine.disk
        if files.kind(path) is PathKind.FILE and files.size(path) >= limit:
            disk.rename(path, path + _BEFORE)
        disk.append(path, line)

    def _place(self) -> tuple[str, int]:
        if self._program is None:
            recipe = kept_recipe(self.machine.files, self.layout)
            known = recipe.programs if recipe else ()
            self._program = next((p for p in known if p.name == self.name), None)
        if self._program is None:
            self.machine.files.make_directory(self.layout.programs)
            return self.layout.program_file(self.name, "log"), _EARLY_BYTES
        return self._program.log, self._program.log_bytes
