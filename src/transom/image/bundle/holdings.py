"""A bundle as the place where a join finds its artifacts, its lock and the hosts' Python."""

from pathlib import Path

from transom.errors import PermanentError
from transom.image.bundle.archive import Bundle
from transom.image.bundle.manifest import LOCK
from transom.model.lock import Lock
from transom.recipe.lock_document import read_lock
from transom.remote.session import Parcel

_PYTHON = "python"


class BundleHoldings:
    """What a bundle holds, by SHA-256; the whole archive is checked before anything is given out."""

    def __init__(self, path: Path) -> None:
        self._bundle = Bundle(path)
        self._bundle.refuse_damage()
        sums = {member.name: member.sha256 for member in self._bundle.manifest.members}
        self._members = {
            sums[artifact.member]: artifact.member for artifact in self._bundle.manifest.artifacts
        }

    def has(self, sha256: str) -> bool:
        """Whether the bundle has an artifact with that sum."""
        return sha256 in self._members

    def parcel(self, sha256: str) -> Parcel:
        """An artifact, to be sent to a host."""
        name = self._members[sha256]
        return Parcel(
            size=self._bundle.member(name).size,
            sha256=sha256,
            chunks=lambda: self._bundle.chunks(name),
        )

    def lock(self) -> Lock:
        """The lock the bundle was made by."""
        text = self._bundle.read(LOCK).decode("utf-8")
        return read_lock(text, file=f"{self._bundle.path}:{LOCK}")

    def python(self) -> bytes:
        """The embeddable Python for hosts."""
        for artifact in self._bundle.manifest.artifacts:
            if artifact.id == _PYTHON:
                return self._bundle.read(artifact.member)
        raise PermanentError(
            f"the bundle {self._bundle.path} has no Python for hosts",
            subject=str(self._bundle.path),
            hint="make it anew with `transom bundle create`",
        )
