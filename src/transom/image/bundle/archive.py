"""The archive of a bundle: a tar whose every byte follows from its manifest, so every byte is checked.

Written whole or not at all. Headers and padding are computed, never trusted: what differs from the
computed bytes is damage, and it is reported by the member's name.
"""

import contextlib
import hashlib
import io
import json
import os
import tarfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO

from transom.errors import PermanentError, UsageError
from transom.image.bundle.manifest import MANIFEST, SUM, BundleManifest, Member, by_name
from transom.model.api_versions import UnknownVersionError
from transom.model.codec import decode, encode
from transom.model.records import dataclass

_BLOCK = 512
_CHUNK = 1 << 20
_END = bytes(2 * _BLOCK)
_LARGEST_MANIFEST = 64 << 20

Open = Callable[[], BinaryIO]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A member before it is written, and where its bytes are read."""

    member: Member
    open: Open


def held(name: str, content: bytes) -> Piece:
    """A member whose bytes are in memory."""
    member = Member(name=name, size=len(content), sha256=hashlib.sha256(content).hexdigest())
    return Piece(member=member, open=lambda: io.BytesIO(content))


def written(manifest: BundleManifest) -> bytes:
    """The manifest's bytes, which a site signs."""
    return json.dumps(encode(manifest), indent=1).encode() + b"\n"


def write_bundle(path: Path, manifest: BundleManifest, pieces: Sequence[Piece]) -> None:
    """Write the archive; a piece whose bytes are not its member's is named and nothing is left.

    Raises:
        PermanentError: A piece has another sum or size than its member.
    """
    table = held(MANIFEST, written(manifest))
    vouched = held(SUM, f"{table.member.sha256}  {MANIFEST}\n".encode())
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("wb") as out, ThreadPoolExecutor(1) as hasher:
            for piece in (table, vouched, *pieces):
                _write(out, piece, hasher)
            out.write(_END)
            out.flush()
            os.fsync(out.fileno())
        part.replace(path)
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: {error.strerror}",
            subject=str(path),
            hint="look at the disk's room and your rights there",
        ) from error
    finally:
        part.unlink(missing_ok=True)


def _write(out: BinaryIO, piece: Piece, hasher: ThreadPoolExecutor) -> None:
    """Copy a member; its hash is made beside, while the bytes are written."""
    member, digest, size = piece.member, hashlib.sha256(), 0
    out.write(_header(member))
    waiting: Future[None] | None = None
    with piece.open() as source:
        while chunk := source.read(_CHUNK):
            if waiting is not None:
                waiting.result()
            waiting = hasher.submit(digest.update, chunk)
            out.write(chunk)
            size += len(chunk)
    if waiting is not None:
        waiting.result()
    if digest.hexdigest() != member.sha256 or size != member.size:
        raise PermanentError(
            f"{member.name} has the SHA-256 {digest.hexdigest()}, not {member.sha256}",
            subject=member.name,
            hint="its bytes changed since they were locked; find out why",
        )
    out.write(bytes(_padding(size)))


class Bundle:
    """An archive that is read: members by name, at places that follow from the manifest."""

    def __init__(self, path: Path) -> None:
        self.path = path
        with _reading(path), path.open("rb") as stream:
            raw = _manifest_bytes(stream, path)
        try:
            self.manifest = decode(BundleManifest, json.loads(raw))
        except UnknownVersionError as error:
            raise UsageError(f"the bundle's {error}", subject=str(path)) from error
        except (ValueError, RecursionError) as error:
            raise _damaged(path, MANIFEST) from error
        first = held(MANIFEST, raw).member
        second = held(SUM, f"{first.sha256}  {MANIFEST}\n".encode()).member
        self._places: dict[str, int] = {}
        self._members = [first, second, *self.manifest.members]
        offset = 0
        for member in self._members:
            offset += len(_header(member))
            self._places[member.name] = offset
            offset += member.size + _padding(member.size)
        self._size = offset + len(_END)
        self.manifest_bytes = raw

    def has(self, name: str) -> bool:
        """Whether there is such a member."""
        return name in self._places

    def member(self, name: str) -> Member:
        """A member's size and sum."""
        return by_name(self._members)[name]

    def read(self, name: str) -> bytes:
        """A member's bytes, checked; raise where they are damaged."""
        content = b"".join(self.chunks(name))
        if hashlib.sha256(content).hexdigest() != self.member(name).sha256:
            raise _damaged(self.path, name)
        return content

    def chunks(self, name: str, *, start: int = 0) -> Iterator[bytes]:
        """A member's bytes from an offset on, not checked: whoever gets them has the sum."""
        left = self.member(name).size - start
        with _reading(self.path), self.path.open("rb") as stream:
            stream.seek(self._places[name] + start)
            while left > 0 and (chunk := stream.read(min(_CHUNK, left))):
                left -= len(chunk)
                yield chunk

    def damage(self) -> list[str]:
        """The members of which some byte is not what it was; every byte of the archive is read."""
        found: list[str] = []
        with _reading(self.path), self.path.open("rb") as stream:
            for member in self._members:
                wanted, place = _header(member), self._places[member.name]
                stream.seek(place - len(wanted))
                header, digest = stream.read(len(wanted)), hashlib.sha256()
                left = member.size
                while left > 0 and (chunk := stream.read(min(_CHUNK, left))):
                    digest.update(chunk)
                    left -= len(chunk)
                padding = stream.read(_padding(member.size))
                whole = header == wanted and digest.hexdigest() == member.sha256 and not left
                if not whole or padding != bytes(_padding(member.size)):
                    found.append(member.name)
            if stream.read(len(_END) + 1) != _END:
                found.append("the end of the archive")
        return found

    def refuse_damage(self) -> None:
        """Raise with the name of every damaged member."""
        damage = self.damage()
        if damage:
            raise _damaged(self.path, ", ".join(damage))


def _manifest_bytes(stream: BinaryIO, path: Path) -> bytes:
    block = stream.read(_BLOCK)
    try:
        info = tarfile.TarInfo.frombuf(block, "utf-8", "surrogateescape")
    except tarfile.HeaderError as error:
        raise _no_bundle(path) from error
    if info.name != MANIFEST or info.size > _LARGEST_MANIFEST:
        raise _no_bundle(path)
    raw = stream.read(info.size)
    member = held(MANIFEST, raw).member
    if len(raw) != info.size or block != _header(member):
        raise _damaged(path, MANIFEST)
    # Its own sum is the next member, so that a flipped byte in it is told from a wrong reading.
    stream.read(_padding(info.size))
    wanted = f"{member.sha256}  {MANIFEST}\n".encode()
    stream.read(len(_header(held(SUM, wanted).member)))
    if stream.read(len(wanted)) != wanted:
        raise _damaged(path, MANIFEST)
    return raw


def _header(member: Member) -> bytes:
    info = tarfile.TarInfo(member.name)
    info.size, info.mode = member.size, 0o644
    return info.tobuf(tarfile.PAX_FORMAT)


def _padding(size: int) -> int:
    return -size % _BLOCK


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UsageError(
            f"cannot read the bundle {path}: {error.strerror}", subject=str(path)
        ) from error


def _no_bundle(path: Path) -> UsageError:
    return UsageError(
        f"{path} is not a bundle",
        subject=str(path),
        hint="`transom bundle create` makes one",
    )


def _damaged(path: Path, names: str) -> PermanentError:
    return PermanentError(
        f"the bundle {path} is damaged in {names}",
        subject=str(path),
        hint="copy it again from where it was made; nothing of it was used",
    )
