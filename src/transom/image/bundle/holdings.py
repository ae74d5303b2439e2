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

    def refuse_unsigned(self, *, signature: Path, key: Path) -> None:
        """Raise unless the bundle was signed by that key."""
        from transom.image.bundle.signature import refuse_unsigned

        refuse_unsigned(self._bundle.manifest_bytes, signature=signature, key=key)

    def lock(self) -> Lock:
        """The lock the bundle was made by: as good as the bundle, and no better."""
        text = self._bundle.read(LOCK).decode("utf-8")
        return read_lock(text, file=f"{self._bundle.path}:{LOCK}")

    def python(self, lock: Lock) -> bytes:
        """The embeddable Python for hosts, if it is the one that the lock names."""
        sums = {entry.sha256 for entry in lock.entries if entry.id == _PYTHON}
        found = next((self._members[sha256] for sha256 in sums if self.has(sha256)), None)
        if found is None:
            raise PermanentError(
                f"the bundle {self._bundle.path} does not have the Python for hosts that is locked",
                subject=str(self._bundle.path),
                hint="make the bundle again with `transom bundle create`",
            )
        return self._bundle.read(found)


def disagreements(bundled: Lock, lock: Lock) -> tuple[str, ...]:
    """What a bundle has otherwise than the lock, or what the lock does not name."""
    known = lock.by_key()
    return tuple(
        f"{entry.id} {entry.version}"
        for entry in bundled.entries
        if entry.key not in known or known[entry.key].sha256 != entry.sha256
    )
