"""Programs and archives: brought by their hash, checked before use, put in place by a rename.

A download that was cut short goes on where it ended. What an archive gave is written beside it in a
small manifest, so that a later check needs no archive.
"""

import json
import ntpath
from collections.abc import Sequence

from transom.errors import PermanentError
from transom.model.journal import Drift
from transom.model.recipe import Artifact, Member, Service, Unpack
from transom.model.records import dataclass
from transom.model.request import SourceAccess
from transom.model.step_id import StepId
from transom.node.engine.disruption import of_replacing
from transom.node.engine.journalled_host import chunks_of
from transom.node.engine.step import EVERYWHERE, Applies, NodeSpec, Seen, Step
from transom.node.host.files import PART
from transom.node.host.nouns.files import ReadFiles
from transom.node.host.protocols import Host, ReadHost
from transom.node.host.signature import objection
from transom.node.host.values import PathKind
from transom.node.packaging.archive import Extract, open_archive

INTERPRETER = "python"  # brought by whoever starts this program, which runs in it
MANIFEST = ".members.json"


@dataclass(frozen=True, slots=True)
class Wanted:
    """An artifact and the services that run what it holds, dependents first."""

    artifact: Artifact
    services: tuple[str, ...]
    access: SourceAccess


@dataclass(frozen=True, slots=True)
class Artifacts(Step[Wanted]):
    """Downloads, verifies and unpacks; stops a service only to replace its program."""

    id: StepId = StepId.ARTIFACTS
    title: str = "Install programs"
    needs: tuple[StepId, ...] = (StepId.DIRECTORIES,)
    seen: Seen = Seen.WINE
    applies: Applies = EVERYWHERE

    def check(self, host: ReadHost, want: NodeSpec) -> Sequence[Drift[Wanted]]:
        """Name each artifact of which some byte on the host is not the locked one."""
        return artifact_drift(host, want)

    def apply(self, host: Host, drift: Sequence[Drift[Wanted]]) -> None:
        """Bring and verify each artifact beside what it replaces, then place them all."""
        wanted = [entry.item for entry in drift]
        place_all(host, [(item, bring(host, item)) for item in wanted])


def artifact_drift(host: ReadHost, want: NodeSpec) -> list[Drift[Wanted]]:
    """Compare the programs of the recipe with those of the host."""
    recipe = want.recipe
    found = [(item, _state(host, item)) for item in recipe.artifacts if item.id != INTERPRETER]
    return [
        Drift(
            item.id,
            state,
            f"{item.version} sha256:{item.sha256}",
            Wanted(item, users_of(_paths(item), recipe.services), want.access),
            of_replacing([member.path for member in item.members] or [item.path]),
        )
        for item, state in found
        if state
    ]


def place_all(host: Host, brought: Sequence[tuple[Wanted, str]]) -> None:
    """Put what was brought in place, while the services that use it stand still."""
    for wanted, part in brought:
        for service in wanted.services:
            host.services.stop(service)
        if wanted.artifact.unpack is Unpack.FILE:
            host.files.move(part, wanted.artifact.path)
        else:
            _unpack(host, wanted.artifact, part)


def _state(host: ReadHost, artifact: Artifact) -> str:
    """What is wrong with what lies there; empty where nothing is."""
    found = _bytes_state(host.files, artifact)
    if found or artifact.authenticode is None:
        return found
    programs = [member.path for member in artifact.members] or [artifact.path]
    return "; ".join(filter(None, (_unsigned(host, artifact, path) for path in programs)))


def _unsigned(host: ReadHost | Host, artifact: Artifact, path: str) -> str:
    assert artifact.authenticode is not None
    return objection(host.signatures.of(path), artifact.authenticode)


def _bytes_state(files: ReadFiles, artifact: Artifact) -> str:
    if artifact.unpack is Unpack.FILE:
        if files.kind(artifact.path) is not PathKind.FILE:
            return "absent"
        found = files.sha256(artifact.path)
        return "" if found == artifact.sha256 else f"sha256:{found}"
    manifest = artifact.path + MANIFEST
    if files.kind(manifest) is not PathKind.FILE:
        return "absent"
    try:
        recorded = json.loads(files.read(manifest))
        recorded["sha256"], recorded["members"].values()
    except (ValueError, LookupError, TypeError, AttributeError):
        return "of unknown members"
    paths = [member.path for member in artifact.members]
    if recorded["sha256"] != artifact.sha256 or sorted(recorded["members"]) != sorted(paths):
        return f"sha256:{recorded['sha256']}"
    changed = [path for path in paths if not _has_hash(files, path, recorded["members"][path])]
    return f"changed: {', '.join(changed)}" if changed else ""


def _has_hash(files: ReadFiles, path: str, sha256: str) -> bool:
    return files.kind(path) is PathKind.FILE and files.sha256(path) == sha256


def _paths(artifact: Artifact) -> tuple[str, ...]:
    return (artifact.path, *(member.path for member in artifact.members))


def users_of(paths: Sequence[str], services: tuple[Service, ...]) -> tuple[str, ...]:
    """The services whose command names one of these files, and those that need them, these first."""
    names = {path.lower() for path in paths}
    users = [
        service.name
        for service in services
        if names.intersection(word.lower().rpartition("=")[2] for word in service.command)
    ]
    dependents = [
        service.name
        for service in services
        if service.name not in users and set(users).intersection(service.depends_on)
    ]
    return (*reversed(dependents), *reversed(users))


def bring(host: Host, wanted: Wanted) -> str:
    """Have the artifact's verified bytes on the host; a spoilt resumed download starts anew."""
    part = _bring_bytes(host, wanted)
    if wanted.artifact.authenticode is not None and wanted.artifact.unpack is Unpack.FILE:
        _refuse_unsigned(host, wanted.artifact, part)
    return part


def _bring_bytes(host: Host, wanted: Wanted) -> str:
    artifact = wanted.artifact
    part = artifact.path + PART
    host.files.make_directory(ntpath.dirname(part))
    resumed = host.files.kind(part) is PathKind.FILE
    if resumed and host.files.sha256(part) == artifact.sha256:
        return part
    found = _fetch(host, wanted, part)
    if found != artifact.sha256 and resumed:
        host.files.remove(part)
        found = _fetch(host, wanted, part)
    if found != artifact.sha256:
        host.files.remove(part)
        raise PermanentError(
            f"cannot use {artifact.url or artifact.file}: its SHA-256 is {found}, not {artifact.sha256}",
            subject=artifact.id,
            hint="Find out who changed it; correct the lock only if the change is right.",
        )
    return part


def _refuse_unsigned(host: Host, artifact: Artifact, path: str) -> None:
    """Take away what does not carry the signature the fleet asks for."""
    problem = _unsigned(host, artifact, path)
    if problem:
        host.files.remove(path)
        raise PermanentError(
            f"cannot use {ntpath.basename(path).removesuffix(PART)} of {artifact.id}: {problem}",
            subject=artifact.id,
            hint="Sign it as source.verify asks, or correct what source.verify asks for.",
        )


def _fetch(host: Host, wanted: Wanted, part: str) -> str:
    artifact = wanted.artifact
    if artifact.file:
        host.files.write(part, chunks_of(host.files.open(artifact.file)))
    else:
        _download(host, wanted, part)
    return host.files.sha256(part)


def _download(host: Host, wanted: Wanted, part: str) -> None:
    offset = host.files.size(part) if host.files.kind(part) is PathKind.FILE else 0
    opened = host.source.open(wanted.artifact.url, offset=offset, access=wanted.access)
    with opened as (honoured, chunks):
        if not honoured:
            host.files.remove(part)
        for chunk in chunks:
            host.files.append(part, chunk)


def _unpack(host: Host, artifact: Artifact, part: str) -> None:
    members: dict[str, str] = {}
    with open_archive(host.files.open(part), artifact.unpack, subject=artifact.id) as extract:
        for member in artifact.members:
            host.files.make_directory(ntpath.dirname(member.path))
            _place(host, artifact, member, extract)
            members[member.path] = host.files.sha256(member.path)
    manifest = {"sha256": artifact.sha256, "members": members}
    host.files.write(artifact.path + MANIFEST, json.dumps(manifest, indent=1).encode())
    host.files.remove(part)


def _place(host: Host, artifact: Artifact, member: Member, extract: Extract) -> None:
    content = extract(member.name.removeprefix("./"))
    if artifact.authenticode is None:
        host.files.write(member.path, content)
        return
    beside = member.path + PART
    host.files.write(beside, content)
    _refuse_unsigned(host, artifact, beside)
    host.files.move(beside, member.path)
