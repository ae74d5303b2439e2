"""Where the node program keeps its own things on a host."""

import ntpath

from transom.model.places import HOME
from transom.model.records import dataclass


@dataclass(frozen=True, slots=True)
class Layout:
    """Paths below the program's home; none of them is part of what a recipe describes."""

    home: str = HOME

    @property
    def program(self) -> str:
        """The program itself."""
        return ntpath.join(self.home, "node.pyz")

    @property
    def state(self) -> str:
        """The directory of everything that outlives a run."""
        return ntpath.join(self.home, "state")

    @property
    def old(self) -> str:
        """Programs that were replaced while they ran: waste, removed as soon as nothing runs them."""
        return ntpath.join(self.home, "old")

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
    def provenance(self) -> str:
        """What the image is that this machine was made of; absent where it was made of none."""
        return ntpath.join(self.home, "image.json")

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

    @property
    def source_vip(self) -> str:
        """The address that was reserved for kube-proxy."""
        return ntpath.join(self.state, "source-vip.json")

    @property
    def programs(self) -> str:
        """What programs that are kept running say of themselves."""
        return ntpath.join(self.state, "programs")

    def program_file(self, name: str, kind: str) -> str:
        """A file about a program: `json` for its state, `kubeconfig` for its credential."""
        return ntpath.join(self.programs, f"{name}.{kind}")

    def events(self, run: str) -> str:
        """The event file of a run."""
        return ntpath.join(self.state, "events", f"{run}.jsonl")
