"""The archive of `collect`: everything a diagnosis elsewhere needs, in one zip without a secret.

Written on the host from one observation and raw files; read anywhere. Names are the paths on the
host below `files/`, so that two archives of one host can be compared.
"""

import io
import json
import ntpath
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from transom.errors import TransomError, UsageError
from transom.model.api_versions import UnknownVersionError, check, written
from transom.model.codec import decode, encode
from transom.model.records import dataclass
from transom.node.doctor.observation import Observation
from transom.node.doctor.observe import tail_of
from transom.node.doctor.odd_values import ODD_VALUE, said_of
from transom.node.doctor.redaction import Redactor
from transom.node.doctor.secrets import encoded, redactor_for
from transom.node.host.protocols import Machine
from transom.node.host.values import PathKind
from transom.node.layout import Layout
from transom.node.verbs.inventory import inventory

MANIFEST, OBSERVATION = "manifest.json", "observation.json"
_TAIL_BYTES = 1 << 20
_EVENT_LOGS = ("System", "Application")
_EVENTS = 300
_EPOCH = (1980, 1, 1, 0, 0, 0)
_LOG_FOLDERS = (r"C:\var\log", r"C:\var\log\kubelet", r"C:\var\log\containerd")
_LARGEST_BYTES = 64 << 20
# RuntimeError: a zip with a password, a way of packing that is unknown, or endless nesting.
_UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, AttributeError, OSError),
    RuntimeError,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A file of the archive, and where it comes from."""

    name: str
    source: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CollectionManifest:
    """What an archive holds; `missing` says of each thing that could not be read why."""

    api_version: str = written("Collection")
    kind: str = "Collection"
    host: str
    time: int
    entries: tuple[Entry, ...]
    missing: Mapping[str, str]


def collect(machine: Machine, layout: Layout, seen: Observation) -> bytes:
    """The archive."""
    missing = dict(seen.unread)
    raw = dict(_texts(machine, layout, seen, missing))
    redactor = redactor_for(seen)
    files = {
        "hns.json": _json(redactor.clean_tree(encode(seen.hns))),
        **_inventory(machine, layout, redactor, missing),
        OBSERVATION: _json(encoded(seen, redactor)),
        **{name: redactor.clean(text) for name, text in raw.items()},
    }
    manifest = CollectionManifest(
        host=seen.host.lower(),
        time=seen.time,
        entries=tuple(
            Entry(name=name, source=_source(name), bytes=len(text.encode()))
            for name, text in sorted(files.items())
        ),
        missing={what: redactor.clean(why) for what, why in missing.items()},
    )
    return _zip({MANIFEST: _json(encode(manifest)), **files})


def _inventory(
    machine: Machine, layout: Layout, redactor: Redactor, missing: dict[str, str]
) -> dict[str, str]:
    try:
        found = encode(inventory(machine, layout, features=True))
    except TransomError as error:
        missing["inventory"] = error.message
        return {}
    except ODD_VALUE as error:
        missing["inventory"] = said_of(error)
        return {}
    return {"inventory.json": _json(redactor.clean_tree(found))}


def read_collection(stream: BinaryIO, *, name: str) -> Observation:
    """The observation in an archive; raise UsageError where it is none."""
    try:
        with zipfile.ZipFile(stream) as archive:
            return _observation(archive)
    except _UNREADABLE as error:
        raise UsageError(
            f"{name} is no archive of `transom collect`: {error}",
            subject=name,
            hint="give the zip that `transom collect` wrote, with this version of Transom",
        ) from error


def _observation(archive: zipfile.ZipFile) -> Observation:
    manifest = json.loads(_member(archive, MANIFEST))
    try:
        check("Collection", manifest)
    except UnknownVersionError as error:
        raise ValueError(f"its manifest {error}") from error
    return decode(Observation, json.loads(_member(archive, OBSERVATION)))


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > _LARGEST_BYTES:
        raise ValueError(f"{name} is too large to be one of ours")
    return archive.read(name)


def _texts(
    machine: Machine, layout: Layout, seen: Observation, missing: dict[str, str]
) -> Iterator[tuple[str, str]]:
    events = ntpath.join(layout.state, "events")
    paths = [layout.journal, *_below(machine, events, missing), *seen.texts]
    paths += [log.path for log in seen.logs]
    for folder in _LOG_FOLDERS:
        below = _below(machine, folder, missing)
        paths += [path for path in below if path.lower().endswith(".log")]
    for path in dict.fromkeys(paths):
        try:
            if machine.files.kind(path) is PathKind.FILE:
                yield (
                    f"files/{path.replace(':', '').replace(ntpath.sep, '/')}",
                    tail_of(machine, path, _TAIL_BYTES),
                )
        except TransomError as error:
            missing[path] = error.message
    for log in _EVENT_LOGS:
        try:
            yield f"events/{log}.txt", machine.vitals.events(log, _EVENTS)
        except TransomError as error:
            missing[f"event log {log}"] = error.message


def _below(machine: Machine, folder: str, missing: dict[str, str]) -> list[str]:
    try:
        if machine.files.kind(folder) is not PathKind.DIRECTORY:
            return []
        return [ntpath.join(folder, name) for name in machine.files.entries(folder)]
    except TransomError as error:
        missing[folder] = error.message
        return []


def _source(name: str) -> str:
    if not name.startswith("files/"):
        return ""
    drive, _, rest = name.removeprefix("files/").partition("/")
    return f"{drive}:\\{rest.replace('/', ntpath.sep)}"


def _json(value: Any) -> str:
    return json.dumps(value, indent=1, ensure_ascii=False) + "\n"


def _zip(files: Mapping[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o600 << 16
            archive.writestr(entry, content)
    return buffer.getvalue()
