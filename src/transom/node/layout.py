"""Where the node program keeps its own things on a host."""

import ntpath
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths below the program's home; none of them is part of what a recipe describes."""

    home: str = r"C:\k\transom"

    @property
    def program(self) -> str:
        """The program itself."""
        return ntpath.join(self.home, "node.pyz")

    @property
    def state(self) -> str:
        """The directory of everything that outlives a run."""
        return ntpath.join(self.home, "state")

    @property
    def journal(self) -> str:
        """The journal."""
        return ntpath.join(self.state, "journal")

    @property
    def saved(self) -> str:
        """Copies of files that were replaced, by their SHA-256."""
        return ntpath.join(self.state, "saved")

    @property
    def recipe(self) -> str:
        """The recipe the host was last brought to: what a diagnosis compares with."""
        return ntpath.join(self.state, "recipe.json")

    @property
    def collected(self) -> str:
        """Where an archive of `collect` waits to be fetched."""
        return ntpath.join(self.home, "collected")

    @property
    def lock(self) -> str:
        """The file a run holds."""
        return ntpath.join(self.state, "lock")

    @property
    def cancel(self) -> str:
        """A file that asks the run to stop at the next step."""
        return ntpath.join(self.state, "cancel")

    def events(self, run: str) -> str:
        """The event file of a run."""
        return ntpath.join(self.state, "events", f"{run}.jsonl")
