r"""Artifacts that a host cannot fetch itself, uploaded to it, such as those of a bundle.

They go to C:\k\transom\carried under their sums, and only those that the host's own plan says it lacks; the
node program checks each sum again before use. Removed when the run ended well.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from transom.errors import PermanentError
from transom.model.fleet import FromLocalFile, Source
from transom.model.lock import FILE_SCHEME, Lock
from transom.model.places import HOME
from transom.model.recipe import Artifact
from transom.remote.file_sum import hash_file
from transom.remote.session import Parcel, Session

UPLOADS = HOME + r"\carried"
_CHUNK = 1 << 20


class Holdings(Protocol):
    """Artifacts on this machine, by their SHA-256."""

    def has(self, sha256: str) -> bool:
        """Whether it is here."""
        ...

    def parcel(self, sha256: str) -> Parcel:
        """Its bytes, to be sent."""
        ...


class LocalFiles:
    """Files of this machine that a fleet's overrides name, by their locked sums."""

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._files = files
        self._sizes: dict[str, int] = {}

    def has(self, sha256: str) -> bool:
        """Whether one of them has that sum."""
        return sha256 in self._files

    def parcel(self, sha256: str) -> Parcel:
        """The file, to be sent; one that changed since it was locked is refused."""
        path = self._files[sha256]
        if sha256 not in self._sizes:
            self._sizes[sha256] = self._checked(path, sha256)
        return Parcel(size=self._sizes[sha256], sha256=sha256, chunks=lambda: _chunks(path))

    @staticmethod
    def _checked(path: Path, sha256: str) -> int:
        found = hash_file(path)
        if found.sha256 != sha256:
            raise PermanentError(
                f"{path} has the SHA-256 {found.sha256}, and the lock says {sha256}",
                subject=str(path),
                hint="find out who changed it; `transom lock --update` takes a change that is right",
            )
        return found.size


def local_files(source: Source, lock: Lock, folder: Path) -> LocalFiles | None:
    """What the fleet's overrides take from this machine, where anything; paths are beside the fleet."""
    places = {
        (name, FILE_SCHEME + override.path): folder / Path(override.path).expanduser()
        for name, override in source.overrides.items()
        if isinstance(override, FromLocalFile)
    }
    files = {
        entry.sha256: places[entry.id, entry.url]
        for entry in lock.entries
        if (entry.id, entry.url) in places
    }
    return LocalFiles(files) if files else None


def to_be_uploaded(artifacts: Iterable[Artifact], holdings: Holdings) -> tuple[Artifact, ...]:
    """The artifacts as the host finds them: what is held here will be uploaded."""
    return tuple(
        replace(artifact, file=_place(artifact.sha256), url="")
        if artifact.sha256 is not None and holdings.has(artifact.sha256)
        else artifact
        for artifact in artifacts
    )


async def upload(
    session: Session, artifacts: Iterable[Artifact], lacking: Iterable[str], holdings: Holdings
) -> None:
    """Send the artifacts that the host lacks."""
    names = frozenset(lacking)
    for artifact in artifacts:
        sha256 = artifact.sha256
        if artifact.id not in names or sha256 is None or artifact.file != _place(sha256):
            continue
        await session.make_directory(UPLOADS)
        await session.send(_place(sha256), holdings.parcel(sha256))


async def clear_uploads(session: Session) -> None:
    """Take the uploads away."""
    await session.remove_tree(UPLOADS)


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            yield chunk


def _place(sha256: str) -> str:
    return rf"{UPLOADS}\{sha256}"
