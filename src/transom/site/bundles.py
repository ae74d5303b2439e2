"""Bundles: made by a fleet's lock alone, opened only where they are trusted, pushed and served to sites without internet.

A bundle carries a lock of its own, which says nothing about who made it: it may be used where it agrees with the lock
that is kept here, or where it is signed.
"""

import json
import socket
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import transom
from transom.addons import delivery
from transom.addons.pinned_images import by_digest
from transom.documents.recipes import RecipeList
from transom.errors import PermanentError, UsageError
from transom.fleet.pin import refuse_credentials
from transom.image.bundle import holdings as bundled
from transom.image.bundle import manifest as names
from transom.image.bundle.archive import Bundle
from transom.image.bundle.create import Contents, create
from transom.image.bundle.images import addons_of, builds_in_use, images_of
from transom.image.bundle.manifest import BundledImage, BundleManifest
from transom.image.bundle.mirror import BundleSite
from transom.image.bundle.push import push
from transom.image.bundle.signature import sign
from transom.model.codec import encode
from transom.model.fleet import Fleet
from transom.model.lock import Lock, LockEntry
from transom.node.packaging.build import build_node_zip
from transom.recipe.lock import PinnableArtifact, pinned
from transom.recipe.lock_document import write_lock
from transom.recipe.pinnable import artifacts_of
from transom.recipe.resolve import resolve
from transom.recipe.sources import mirrored
from transom.remote.download import Downloader, Progress
from transom.remote.registry import Repository
from transom.remote.serve import Site, make_certificate, site_context
from transom.site import locks
from transom.site.downloads import Fetchers
from transom.site.locks import LockedFleets

_SHOWN = 5
_LAST_PORT = 65535


def open_trusted(
    path: Path, *, lock: Path, key: Path | None = None, signature: Path | None = None
) -> tuple[bundled.BundleHoldings, Lock]:
    """Open a bundle that is whole and trusted, and give the lock to go by; raise before any host is reached.

    The signature is the bundle's name with `.sig` where none is named.
    """
    holdings = bundled.BundleHoldings(path)
    if key:
        found = signature or path.with_name(f"{path.name}.sig")
        holdings.refuse_unsigned(signature=found, key=key)
    if lock.is_file():
        kept = locks.load(lock)
        _refuse_disagreement(path, holdings.lock(), lock, kept)
        return holdings, kept
    if not key:
        raise UsageError(
            f"nothing says that {path} is the bundle that was meant: there is no {lock}",
            subject=str(path),
            hint="keep the lock beside the fleet, or name the public key that signed the bundle with "
            "--bundle-key (`transom bundle sign` signs one)",
        )
    return holdings, holdings.lock()


def _refuse_disagreement(path: Path, inside: Lock, lock: Path, kept: Lock) -> None:
    found = bundled.disagreements(inside, kept)
    if found:
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        raise PermanentError(
            f"the bundle {path} is not of the lock {lock}: {', '.join(found[:_SHOWN])}{more}",
            subject=str(path),
            hint="do not use the bundle; if the lock is older, make both again where there is "
            "internet: `transom lock`, then `transom bundle create`",
        )


def create_bundle(
    path: Path,
    locked: LockedFleets,
    fetchers: Fetchers,
    *,
    extras: Sequence[str],
    with_images: bool,
    progress: Callable[[str], Progress],
) -> BundleManifest:
    """Gather everything that the lock names for the fleets, and write the bundle."""
    artifacts = artifacts_of(locked.fleets, directory=str(locked.folder))
    images = images_of(locked.fleets, extras) if with_images else []
    for pinnable in (*artifacts, *images):
        refuse_credentials(pinnable)
    pinned([pinnable.artifact for pinnable in (*artifacts, *images)], locked.lock)
    held_artifacts, held_images = _entries(artifacts, locked.lock), _entries(images, locked.lock)
    contents = Contents(
        fleets=tuple(fleet.name for fleet in locked.fleets),
        artifacts=held_artifacts,
        images=held_images,
        builds=builds_in_use(locked.fleets),
        files=_files(locked.fleets, _lock_of(locked, (*held_artifacts, *held_images)), extras),
    )
    return create(path, contents, _Doors(fetchers, [*artifacts, *images], progress))


def _lock_of(locked: LockedFleets, entries: Sequence[LockEntry]) -> Lock:
    """The lock of a bundle: with what was chosen for its fleets, so that its site chooses the same."""
    names = {fleet.name for fleet in locked.fleets}
    sections = (section for section in locked.lock.fleets if section.name in names)
    return Lock(tuple(entries), tuple(sections))


def _entries(pinnables: Sequence[PinnableArtifact], lock: Lock) -> list[LockEntry]:
    by_key = lock.by_key()
    return [by_key[key] for key in sorted({pinnable.key for pinnable in pinnables})]


def _files(fleets: Sequence[Fleet], lock: Lock, extras: Sequence[str]) -> dict[str, bytes]:
    recipes = RecipeList(items=tuple(recipe for fleet in fleets for recipe in resolve(fleet)))
    files = {
        names.LOCK: write_lock(lock).encode(),
        names.RECIPES: json.dumps(encode(recipes), indent=1).encode(),
        names.PROGRAM: build_node_zip(Path(transom.__file__).parent),
    }
    for fleet in fleets:
        manifests = addons_of(fleet, extras)
        if manifests:
            pinned_images = by_digest(manifests, lock)
            files[f"{names.ADDONS}{fleet.name}.yaml"] = delivery.stream(pinned_images).encode()
    return files


class _Doors:
    """The doors to what goes into a bundle, by what the fleet says about each artifact."""

    def __init__(
        self,
        fetchers: Fetchers,
        pinnables: Sequence[PinnableArtifact],
        progress: Callable[[str], Progress],
    ) -> None:
        self._fetchers = fetchers
        self._pinnables = {pinnable.key: pinnable for pinnable in pinnables}
        self.progress = progress

    def fetch(self, entry: LockEntry, destination: Path, progress: Progress) -> None:
        pinnable = self._pinnables[entry.key]
        url = mirrored(entry.url, pinnable.mirrors)
        self._fetchers.downloader(pinnable).file(
            url, destination, sha256=entry.sha256, progress=progress
        )

    def local(self, entry: LockEntry) -> Path:
        pinnable = self._pinnables[entry.key]
        return Path(pinnable.directory, Path(pinnable.artifact.file).expanduser())

    def repository(self, entry: LockEntry) -> Repository:
        return self._fetchers.repository(self._pinnables[entry.key])

    def downloader(self, entry: LockEntry) -> Downloader:
        return self._fetchers.downloader(self._pinnables[entry.key])


def sign_bundle(path: Path, key: Path, signature: Path) -> None:
    """Check the bundle and sign its manifest, which has the sum of every other byte."""
    bundle = whole_bundle(path)
    try:
        signature.write_bytes(sign(bundle.manifest_bytes, key=key))
    except OSError as error:
        raise UsageError(
            f"cannot write {signature}: {error.strerror}", subject=str(signature)
        ) from error


def whole_bundle(path: Path) -> Bundle:
    """Open a bundle and check every byte of it."""
    bundle = Bundle(path)
    bundle.refuse_damage()
    return bundle


class Pushed(NamedTuple):
    """An image of a bundle, what it is called in the registry, and how many blobs were sent."""

    image: BundledImage
    reference: str
    sent: int


def push_bundle(path: Path, registry: str, fetchers: Fetchers) -> Iterator[Pushed]:
    """Push the images of a bundle to the registry at an address, one by one."""
    place = urlsplit(registry)
    if place.scheme != "https" or not place.netloc:
        raise UsageError(
            f"cannot push to {registry}", hint="write https://HOST, or https://HOST/PATH"
        )
    base, prefix = f"https://{place.netloc}", place.path.strip("/")

    def repository(name: str) -> Repository:
        return fetchers.registry(base, f"{prefix}/{name}".removeprefix("/"))

    for image, name, sent in push(whole_bundle(path), repository):
        there = "/".join(part for part in (place.netloc, prefix, name) if part)
        yield Pushed(image, f"{there}@{image.digest}", sent)


class Mirror(NamedTuple):
    """A server of a bundle, not yet serving: where hosts reach it, and what it stands for.

    `authority` is the file with the certificate that was made for it; empty where one was given.
    """

    server: Site
    address: str
    upstreams: tuple[str, ...]
    authority: str


def mirror_bundle(
    path: Path,
    listen: str,
    *,
    host_names: Sequence[str],
    certificate: tuple[Path, Path] | None,
    seen: Callable[[str], None],
) -> Mirror:
    """Open a mirror of a bundle for hosts; `seen` is told of each request."""
    host, _, port = listen.rpartition(":")
    if not host or not port.isdecimal() or int(port) > _LAST_PORT:
        raise UsageError(
            f"cannot listen on {listen}", hint=f"write ADDRESS:PORT, a port up to {_LAST_PORT}"
        )
    site = BundleSite(whole_bundle(path))
    everywhere = host in ("0.0.0.0", "::")  # noqa: S104 - recognized, not chosen
    called = list(host_names) or [socket.gethostname() if everywhere else host]
    authority = ""
    with tempfile.TemporaryDirectory(prefix="transom-serve-") as folder:
        if certificate is None:
            certificate = make_certificate(called, Path(folder))
            kept = Path(f"{path}.ca.pem")
            kept.write_bytes(certificate[0].read_bytes())
            authority = str(kept)
        context = site_context(*certificate)
        server = Site((host.strip("[]"), int(port)), context, find=site, seen=seen)
    upstreams = tuple(name for name in site.hosts() if name != "file")
    return Mirror(server, f"https://{called[0]}:{server.server_port}", upstreams, authority)
