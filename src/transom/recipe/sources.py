"""Where artifacts come from for this fleet: overrides, the node tarball, mirrors, signatures.

Pure rewriting of the facts' artifacts; nothing is fetched here.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from transom.model.codec import encode
from transom.model.fleet import FromLocalFile, FromNodeTarball, FromURL, Override, Source
from transom.model.recipe import Artifact, Member, Unpack


def from_sources(
    source: Source, artifacts: Iterable[Artifact], *, node_tarball: str
) -> Iterator[Artifact]:
    """The artifacts as this fleet wants them; `node_tarball` is where Kubernetes' own archive is."""
    signatures = {entry.artifact: encode(entry.authenticode) for entry in source.verify}
    for artifact in artifacts:
        override = source.overrides.get(artifact.id)
        taken = _overridden(artifact, override, node_tarball) if override is not None else artifact
        wanted = signatures.get(artifact.id)
        asked = {key: value for key, value in wanted.items() if value} if wanted else None
        yield replace(taken, url=mirrored(source, taken.url), authenticode=asked)


def mirrored(source: Source, url: str) -> str:
    """The URL at the mirror with the longest matching prefix, or as it is."""
    prefixes = sorted((p for p in source.mirrors if url.startswith(p)), key=len, reverse=True)
    return source.mirrors[prefixes[0]] + url.removeprefix(prefixes[0]) if prefixes else url


def _overridden(artifact: Artifact, override: Override, node_tarball: str) -> Artifact:
    why = f"fleet source.overrides.{artifact.id}"
    if isinstance(override, FromURL):
        return replace(artifact, url=override.url, sha256=override.sha256, why=why)
    if isinstance(override, FromLocalFile):
        return replace(artifact, url="", file=override.path, sha256=override.sha256, why=why)
    assert isinstance(override, FromNodeTarball)
    return replace(
        artifact,
        url=node_tarball,
        unpack=Unpack.TAR_GZ,
        path=artifact.path + ".tar.gz",
        members=(Member(name=override.member, path=artifact.path),),
        why=why,
    )
