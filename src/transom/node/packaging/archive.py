"""Members of an archive, by name, from an open file: zip and gzipped tar."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import BufferedIOBase
from typing import TYPE_CHECKING

from transom.errors import PermanentError
from transom.model.recipe import Unpack

if TYPE_CHECKING:
    import tarfile
    import zipfile

_CHUNK_BYTES = 1 << 20

Extract = Callable[[str], Iterator[bytes]]


@contextmanager
def open_archive(stream: BufferedIOBase, unpack: Unpack, *, subject: str) -> Iterator[Extract]:
    """Give a function from a member's name to its content by parts."""
    import tarfile
    import zipfile

    try:
        with stream:
            if unpack is Unpack.ZIP:
                with zipfile.ZipFile(stream) as archive:
                    yield _zip_members(archive)
            else:
                with tarfile.open(fileobj=stream, mode="r:gz") as tar:
                    yield _tar_members(tar)
    except (zipfile.BadZipFile, tarfile.TarError, KeyError, EOFError, OSError) as error:
        raise PermanentError(
            f"cannot unpack {subject}: {error}",
            subject=subject,
            hint="The archive has its expected hash, so the recipe names it or a member wrongly.",
        ) from error


def _zip_members(archive: "zipfile.ZipFile") -> Extract:
    def extract(name: str) -> Iterator[bytes]:
        with archive.open(name) as member:
            while chunk := member.read(_CHUNK_BYTES):
                yield chunk

    return extract


def _tar_members(archive: "tarfile.TarFile") -> Extract:
    names = {member.name.removeprefix("./"): member for member in archive.getmembers()}

    def extract(name: str) -> Iterator[bytes]:
        member = archive.extractfile(names[name])
        if member is None:
            raise KeyError(f"{name} is not a file")
        with member:
            while chunk := member.read(_CHUNK_BYTES):
                yield chunk

    return extract
