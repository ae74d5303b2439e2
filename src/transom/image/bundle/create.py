"""Making a bundle: everything by its locked sum, gathered beside, then written in one pass.

The doors come in as values. What was gathered stays in a folder beside the bundle until the bundle
is whole, so that a second try continues where the first ended.
"""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path, PurePosixPath
from typing import Protocol
from urllib.parse import unquote, urlsplit

from transom import __version__
from transom.errors import Refused, UsageError
from transom.image.bundle import manifest as names
from transom.image.bundle.archive import Open, Piece, held, write_bundle
from transom.image.bundle.manifest import BundledArtifact, BundledImage, BundleManifest, Member
from transom.image.bundle.oci import INDEXES, MANIFESTS, builds_of, layout_files, parts_of
from transom.image.bundle.sbom import Component, cyclonedx, spdx
from transom.model.lock import FILE_SCHEME, LockEntry
from transom.model.problem import Refusal
from transom.model.records import dataclass
from transom.remote.download import Downloader, Progress
from transom.remote.registry import Repository


class Doors(Protocol):
    """Ways to what a lock names."""

    def fetch(self, entry: LockEntry, destination: Path, progress: Progress) -> None:
        """Download an artifact by its locked sum, or hard-link a local file's place."""
        ...

    def local(self, entry: LockEntry) -> Path:
        """The local file that an entry names."""
        ...

    def repository(self, entry: LockEntry) -> Repository:
        """The repository of an image."""
        ...

    def downloader(self, entry: LockEntry) -> Downloader:
        """A downloader for layers that live outside their registry."""
        ...

    def progress(self, name: str) -> Progress:
        """Whom to tell about a file's bytes."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What a bundle is to hold; `builds` are the Windows builds each image must have, by reference."""

    fleets: tuple[str, ...]
    artifacts: Sequence[LockEntry]
    images: Sequence[LockEntry]
    builds: Mapping[str, frozenset[int]] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)


def create(path: Path, contents: Contents, doors: Doors) -> BundleManifest:
    """Gather and write the bundle.

    Raises:
        TransomError: Something could not be had; what was gathered is kept for the next try.
    """
    folder = path.with_name(f"{path.name}.parts")
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: {error.strerror}",
            subject=str(path),
            hint="name a folder that is there and that you may write to",
        ) from error
    gathering = _Gathering(folder, doors)
    bundled = [gathering.image(entry, contents.builds) for entry in contents.images]
    artifacts = [gathering.artifact(entry) for entry in contents.artifacts]
    components = [*map(_component, contents.artifacts), *map(_image_component, contents.images)]
    if names.PROGRAM in contents.files:
        components.append(_program(contents.files[names.PROGRAM]))
    texts = {
        **contents.files,
        **dict(layout_files(bundled)),
        names.SPDX: spdx(contents.fleets, components),
        names.CYCLONEDX: cyclonedx(contents.fleets, components),
    }
    pieces = {name: held(name, content) for name, content in texts.items()}
    pieces.update(gathering.pieces)
    ordered = [pieces[name] for name in sorted(pieces)]
    made = BundleManifest(
        fleets=contents.fleets,
        transom=__version__,
        artifacts=tuple(artifacts),
        images=tuple(bundled),
        members=tuple(piece.member for piece in ordered),
    )
    write_bundle(path, made, ordered)
    _clear(folder)
    return made


def member_of(entry: LockEntry) -> str:
    """Where an artifact lies: as its upstream has it, so that the bundle is a mirror too."""
    if entry.url.startswith(FILE_SCHEME):
        name = PurePosixPath(entry.url.removeprefix(FILE_SCHEME).replace("\\", "/")).name
        return f"{names.ARTIFACTS}file/{entry.sha256}/{name}"
    parts = urlsplit(entry.url)
    return f"{names.ARTIFACTS}{parts.netloc}{unquote(parts.path)}"


class _Gathering:
    """What has been gathered so far, each once, as pieces of the archive."""

    def __init__(self, folder: Path, doors: Doors) -> None:
        self._folder = folder
        self._doors = doors
        self.pieces: dict[str, Piece] = {}

    def artifact(self, entry: LockEntry) -> BundledArtifact:
        name = member_of(entry)
        if name not in self.pieces:
            if entry.url.startswith(FILE_SCHEME):
                path = self._doors.local(entry)
            else:
                path = self._folder / entry.sha256
                if not path.exists():
                    label = f"{entry.id} {entry.version}"
                    self._doors.fetch(entry, path, self._doors.progress(label))
            self._add(name, path, entry.size, entry.sha256)
        return BundledArtifact(id=entry.id, version=entry.version, url=entry.url, member=name)

    def image(self, entry: LockEntry, builds: Mapping[str, frozenset[int]]) -> BundledImage:
        repository, digest = self._doors.repository(entry), f"sha256:{entry.sha256}"
        content, media_type = self._manifest(repository, digest)
        _refuse_missing_builds(entry, content, builds.get(entry.version, frozenset()))
        self._parts(entry, repository, content)
        return BundledImage(
            reference=entry.version, digest=digest, media_type=media_type, size=len(content)
        )

    def _manifest(self, repository: Repository, digest: str) -> tuple[bytes, str]:
        content, media_type, _ = repository.manifest(digest, accept=(*INDEXES, *MANIFESTS))
        self.pieces[names.blob_name(digest)] = held(names.blob_name(digest), content)
        return content, media_type

    def _parts(self, entry: LockEntry, repository: Repository, content: bytes) -> None:
        for part in parts_of(content, subject=entry.version):
            if part.is_manifest:
                child, _ = self._manifest(repository, part.digest)
                self._parts(entry, repository, child)
                continue
            name, sha256 = names.blob_name(part.digest), part.digest.removeprefix("sha256:")
            path = self._folder / sha256
            if name not in self.pieces:
                progress = self._doors.progress(f"{entry.version} {part.digest[:19]}")
                if not path.exists() and part.urls:
                    door = self._doors.downloader(entry)
                    door.file(part.urls[0], path, sha256=sha256, progress=progress)
                elif not path.exists():
                    repository.blob(part.digest, path, progress=progress)
                self._add(name, path, part.size, sha256)

    def _add(self, name: str, path: Path, size: int, sha256: str) -> None:
        member = Member(name=name, size=size, sha256=sha256)
        self.pieces[name] = Piece(member=member, open=_opener(path))


def _opener(path: Path) -> Open:
    return lambda: path.open("rb")


def _refuse_missing_builds(entry: LockEntry, content: bytes, wanted: Iterable[int]) -> None:
    found = builds_of(content, subject=entry.version)
    lacking = sorted(set(wanted) - found)
    if found and lacking:
        raise Refused(
            [
                Refusal(
                    id="image-build",
                    subject=entry.version,
                    found=f"images for Windows builds {', '.join(map(str, sorted(found)))}",
                    reason=f"hosts of this fleet have build {build}, and run only images of it",
                    fix="`transom image pause` says how to make one that has it; then name it in runtime.containerd.pauseImage.",
                    source="pause-image",
                )
                for build in lacking
            ],
            subject=entry.version,
        )


def _component(entry: LockEntry) -> Component:
    return Component(name=entry.id, version=entry.version, url=entry.url, sha256=entry.sha256)


def _image_component(entry: LockEntry) -> Component:
    repository, _, tag = entry.version.partition("@")[0].rpartition(":")
    return Component(
        name=repository or entry.version,
        version=tag,
        url=entry.url,
        sha256=entry.sha256,
        is_image=True,
    )


def _program(content: bytes) -> Component:
    sha256 = hashlib.sha256(content).hexdigest()
    return Component(name="transom-node", version=__version__, url="", sha256=sha256)


def _clear(folder: Path) -> None:
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
