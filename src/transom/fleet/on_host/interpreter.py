"""The Python that hosts run the node program with: python.org's embeddable package, by its sum.

It is an artifact like any other, but it goes first and is uploaded by us,
because nothing on the host can fetch it. The doors come in as values.
"""

from dataclasses import replace
from pathlib import Path

from transom.errors import PermanentError, UsageError
from transom.facts import rows
from transom.facts.install import ArtifactRow, DefaultVersion
from transom.facts.rows import At
from transom.fleet.pin import FetcherFor, vouch
from transom.model.fleet import Fleet, FromLocalFile, Source
from transom.model.lock import Lock
from transom.model.recipe import Artifact, Unpack
from transom.recipe.lock import PinnableArtifact
from transom.recipe.sources import from_sources, mirrored
from transom.remote.file_sum import hash_file

_FACT = "artifact-python"


def interpreter_artifact(source: Source, locked: str = "") -> PinnableArtifact:
    """The artifact, at its upstream address or where the fleet's override has it.

    `locked` is the version that the fleet's lock has; without one it is that of the facts.
    """
    row = rows.one(ArtifactRow, _FACT, At())
    version = locked or rows.one(DefaultVersion, row.version.strip("{}"), At()).version

    def say(text: str) -> str:
        return text.replace("{version}", version)

    artifact = Artifact(
        id=row.name,
        version=version,
        url=say(row.url),
        sha256=None,
        unpack=Unpack(row.unpack),
        path="",
        members=(),
        why=row.id,
    )
    (wanted,) = from_sources(replace(source, mirrors={}), [artifact], node_tarball="")
    published = bool(row.checksum) and row.name not in source.overrides
    return PinnableArtifact(
        artifact=wanted,
        checksum_url=say(row.checksum) if published else "",
        mirrors=source.mirrors,
    )


def locked_version(fleet: Fleet) -> str:
    """The version of Python that the fleet's lock has; empty where it has none."""
    name = rows.one(ArtifactRow, _FACT, At()).name
    return next((item.value for item in fleet.locked if item.name == name), "")


def local_package(source: Source, folder: Path) -> Path | None:
    """The file on this machine that the fleet's override names, a path beside the fleet."""
    override = source.overrides.get(rows.one(ArtifactRow, _FACT, At()).name)
    if isinstance(override, FromLocalFile):
        return folder / Path(override.path).expanduser()
    return None


def own_interpreter(file: Path, pinnable: PinnableArtifact, lock: Lock) -> bytes:
    """A file of this machine; where the lock has a sum it must be that file's."""
    try:
        content = file.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {file}", subject=str(file)) from error
    entry = lock.by_key().get(pinnable.key)
    found = hash_file(file).sha256
    if entry is not None and found != entry.sha256:
        raise PermanentError(
            f"{file} has the SHA-256 {found}, and the lock says {entry.sha256}",
            subject=str(file),
            hint="use the package that the lock names",
        )
    return content


def fetch_interpreter(
    pinnable: PinnableArtifact, lock: Lock, *, fetcher: FetcherFor, folder: Path
) -> bytes:
    """Download it, or take it from the folder where an earlier join left it."""
    entry = lock.by_key().get(pinnable.key)
    door = fetcher(pinnable)
    sha256 = entry.sha256 if entry is not None else vouch(pinnable, door).sha256
    kept = folder / f"{sha256}.zip" if sha256 else folder / "python.zip"
    if not (sha256 and kept.is_file() and hash_file(kept).sha256 == sha256):
        folder.mkdir(parents=True, exist_ok=True)
        door.file(mirrored(pinnable.artifact.url, pinnable.mirrors), kept, sha256=sha256)
    return kept.read_bytes()
