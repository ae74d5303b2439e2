"""`transom bundle create`: by the lock alone, and the same bytes each time."""

import json
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

import transom
from transom.addons import delivery
from transom.addons.pinned_images import by_digest
from transom.cli import fleet_file, lock_file, lock_report
from transom.cli.documents.recipes import RecipeList
from transom.cli.fetchers import Fetchers, ProgressLine
from transom.fleet.pin import refuse_credentials
from transom.image.bundle import manifest as names
from transom.image.bundle.create import Contents, create
from transom.image.bundle.images import addons_of, builds_in_use, images_of
from transom.model.codec import encode
from transom.model.fleet import Fleet
from transom.model.lock import Lock, LockEntry
from transom.node.build import build_node_zip
from transom.recipe.lock import PinnableArtifact, pinned
from transom.recipe.lock_document import write_lock
from transom.recipe.pinnable import artifacts_of
from transom.recipe.resolve import resolve
from transom.recipe.sources import mirrored
from transom.remote.download import Downloader, Progress
from transom.remote.registry import Repository


def run(args: Namespace) -> int:
    """Create the bundle and say what is in it."""
    fleets = fleet_file.read(args.filename)
    folder = str(fleet_file.folder(args.filename))
    artifacts = artifacts_of(fleets, directory=folder)
    images = [] if args.without_images else images_of(fleets, args.extras)
    for pinnable in (*artifacts, *images):
        refuse_credentials(pinnable)
    lock = lock_file.load(lock_file.locate(args.filename, args.lock))
    pinned([pinnable.artifact for pinnable in (*artifacts, *images)], lock)
    doors = _Doors(Fetchers(args.ca_file, args.header), [*artifacts, *images])
    contents = Contents(
        fleets=tuple(fleet.name for fleet in fleets),
        artifacts=_entries(artifacts, lock),
        images=_entries(images, lock),
        builds=builds_in_use(fleets),
        files=_files(
            fleets,
            Lock((*_entries(artifacts, lock), *_entries(images, lock))),
            args.extras,
        ),
    )
    path = Path(args.output)
    made = create(path, contents, doors)
    size = lock_report.size(path.stat().st_size)
    print(f"{path}: {len(made.artifacts)} artifacts, {len(made.images)} images, {size}")
    print(f"next: `transom bundle verify {path}` where it was copied to")
    return 0


def _entries(pinnables: list[PinnableArtifact], lock: Lock) -> list[LockEntry]:
    by_key = lock.by_key()
    return [by_key[key] for key in sorted({pinnable.key for pinnable in pinnables})]


def _files(fleets: list[Fleet], lock: Lock, extras: Sequence[str]) -> dict[str, bytes]:
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
    """The ways out, by what the fleet says about each artifact."""

    def __init__(self, fetchers: Fetchers, pinnables: list[PinnableArtifact]) -> None:
        self._fetchers = fetchers
        self._pinnables = {pinnable.key: pinnable for pinnable in pinnables}

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

    def progress(self, name: str) -> Progress:
        return ProgressLine(name)
