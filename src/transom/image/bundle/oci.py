"""Container images as an OCI image layout: which blobs an image has, and the layout's own files.

Pure: JSON in, names and bytes out. Pulling is `transom.remote.registry`.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import field
from typing import Any

from transom.errors import PermanentError
from transom.image.bundle.manifest import IMAGES, BundledImage
from transom.model.records import dataclass

INDEXES = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
)
MANIFESTS = (
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)
_REFERENCE = "io.containerd.image.name"
_TAG = "org.opencontainers.image.ref.name"


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptor:
    """One blob as an image names it; `urls` are where layers live that registries may not hold."""

    media_type: str
    digest: str
    size: int
    urls: tuple[str, ...] = ()
    os: str = ""
    os_version: str = field(default="")

    @property
    def is_manifest(self) -> bool:
        """Whether it names further blobs."""
        return self.media_type in (*INDEXES, *MANIFESTS)


def parts_of(content: bytes, *, subject: str) -> list[Descriptor]:
    """What an index or a manifest names, in its order."""
    try:
        document = json.loads(content)
        if "manifests" in document:
            return [_descriptor(entry) for entry in document["manifests"]]
        return [_descriptor(document["config"]), *map(_descriptor, document["layers"])]
    except (ValueError, KeyError, TypeError) as error:
        raise PermanentError(
            f"{subject} is no image manifest that is understood",
            subject=subject,
            hint="images of schema 1 are not supported; push the image again with a current tool",
        ) from error


def builds_of(content: bytes, *, subject: str) -> set[int]:
    """The Windows builds an index has an image for; nothing for a single image."""
    versions = (
        part.os_version.split(".")
        for part in parts_of(content, subject=subject)
        if part.os == "windows"
    )
    return {int(parts[2]) for parts in versions if len(parts) > 2 and parts[2].isdigit()}  # noqa: PLR2004 - 10.0.BUILD


def layout_files(images: Iterable[BundledImage]) -> Iterator[tuple[str, bytes]]:
    """The two files that make a folder of blobs an image layout."""
    yield f"{IMAGES}oci-layout", json.dumps({"imageLayoutVersion": "1.0.0"}).encode()
    manifests = [
        {
            "mediaType": image.media_type,
            "digest": image.digest,
            "size": image.size,
            "annotations": {
                _REFERENCE: image.reference,
                _TAG: image.reference.rpartition("/")[2].partition(":")[2] or "latest",
            },
        }
        for image in images
    ]
    index = {"schemaVersion": 2, "mediaType": INDEXES[0], "manifests": manifests}
    yield f"{IMAGES}index.json", json.dumps(index, indent=1).encode()


def _descriptor(entry: Any) -> Descriptor:
    platform = entry.get("platform", {})
    return Descriptor(
        media_type=str(entry["mediaType"]),
        digest=str(entry["digest"]),
        size=int(entry["size"]),
        urls=tuple(entry.get("urls", ())),
        os=str(platform.get("os", "")),
        os_version=str(platform.get("os.version", "")),
    )
