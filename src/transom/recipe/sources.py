"""Where artifacts come from for this fleet: overrides, the node tarball, mirrors, signatures.

Pure rewriting of the facts' artifacts; nothing is fetched here.
"""

from collections.abc import Iterable, Iterator, Mapping
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
        yield replace(taken, url=mirrored(taken.url, source.mirrors), authenticode=asked)


def mirrored(url: str, mirrors: Mapping[str, str]) -> str:
    """The URL at the mirror with the longest matching prefix, or as it is.

    A prefix ends where a part of the URL ends: a mirror of https://dl.example is none of
    https://dl.example.net.
    """
    for prefix in sorted(mirrors, key=len, reverse=True):
        base = prefix.rstrip("/")
        if url == base or url.startswith((f"{base}/", f"{base}?")):
            return mirrors[prefix].rstrip("/") + url.removeprefix(base)
    return url


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
