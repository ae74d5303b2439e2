"""A bundle's images into a private registry: only what it lacks, parts before wholes.

Image names keep their paths below the registry's address.
"""

from collections.abc import Callable, Iterator

from transom.image.bundle.archive import Bundle
from transom.image.bundle.manifest import BundledImage, blob_name
from transom.image.bundle.oci import INDEXES, MANIFESTS, parts_of
from transom.model.image_reference import Reference
from transom.remote.registry import Repository

OpenRepository = Callable[[str], Repository]


def push(
    bundle: Bundle, open_repository: OpenRepository
) -> Iterator[tuple[BundledImage, str, int]]:
    """Push each image; give it with the repository's name and how many blobs were sent."""
    for image in bundle.manifest.images:
        name = Reference.parse(image.reference)
        repository = open_repository(name.repository)
        sent = _send(bundle, repository, image.digest, image.media_type)
        if not name.tag.startswith("sha256:"):
            content = bundle.read(blob_name(image.digest))
            repository.put_manifest(name.tag, image.media_type, content)
        yield image, name.repository, sent


def _send(bundle: Bundle, repository: Repository, digest: str, media_type: str) -> int:
    if repository.has("manifests", digest, accept=(*INDEXES, *MANIFESTS)):
        return 0
    content, sent = bundle.read(blob_name(digest)), 0
    for part in parts_of(content, subject=digest):
        if part.is_manifest:
            sent += _send(bundle, repository, part.digest, part.media_type)
        elif not repository.has("blobs", part.digest):
            _blob(bundle, repository, part.digest, part.size)
            sent += 1
    repository.put_manifest(digest, media_type, content)
    return sent


def _blob(bundle: Bundle, repository: Repository, digest: str, size: int) -> None:
    repository.put_blob(digest, size, lambda start: bundle.chunks(blob_name(digest), start=start))
