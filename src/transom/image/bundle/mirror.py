"""A bundle as a web site: artifacts at their upstream paths, images as a registry to pull from.

Pure lookup; `transom.remote.serve` speaks HTTPS. Damage is found before serving begins, and whoever
downloads has the sums.
"""

from transom.image.bundle.archive import Bundle
from transom.image.bundle.manifest import ARTIFACTS, blob_name
from transom.image.bundle.oci import parts_of
from transom.model.image_reference import Reference
from transom.remote.serve import Resource

_REGISTRY = "/v2/"


class BundleSite:
    """Finds what a path means."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._types: dict[str, str] = {}
        self._tags: dict[tuple[str, str], str] = {}
        for image in bundle.manifest.images:
            name = Reference.parse(image.reference)
            self._tags[name.repository, name.tag] = image.digest
            self._learn(image.digest, image.media_type)

    def __call__(self, path: str) -> Resource | None:
        """The resource at a path."""
        if path == _REGISTRY:
            return Resource(size=0, sha256="", chunks=lambda _start: iter(()))
        if path.startswith(_REGISTRY):
            return self._of_registry(path.removeprefix(_REGISTRY))
        return self._member(ARTIFACTS + path.removeprefix("/"), "application/octet-stream")

    def hosts(self) -> list[str]:
        """The upstream hosts that this site has files of."""
        upstreams = (artifact.member for artifact in self._bundle.manifest.artifacts)
        return sorted({name.removeprefix(ARTIFACTS).partition("/")[0] for name in upstreams})

    def _of_registry(self, path: str) -> Resource | None:
        repository, _, rest = path.rpartition("/manifests/")
        if repository:
            digest = self._tags.get((repository, rest), rest)
            return self._member(blob_name(digest), self._types.get(digest, ""))
        return self._member(blob_name(path.rpartition("/blobs/")[2]), "application/octet-stream")

    def _learn(self, digest: str, media_type: str) -> None:
        """Remember what manifests are: their bytes need not say it."""
        self._types[digest] = media_type
        for part in parts_of(self._bundle.read(blob_name(digest)), subject=digest):
            if part.is_manifest:
                self._learn(part.digest, part.media_type)

    def _member(self, name: str, media_type: str) -> Resource | None:
        if not media_type or not self._bundle.has(name):
            return None
        member = self._bundle.member(name)
        return Resource(
            size=member.size,
            sha256=member.sha256,
            media_type=media_type,
            chunks=lambda start: self._bundle.chunks(name, start=start),
        )
