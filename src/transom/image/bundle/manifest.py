"""The bundle's table of contents: each member with its sum, and which member is what.

It is the first member of the archive and what a site signs. Written by `create`, read by `archive`.
"""

from collections.abc import Iterable

from transom.model.api_versions import written
from transom.model.records import dataclass

MANIFEST = "manifest.json"
SUM = "manifest.sha256"
LOCK = "transom.lock"
RECIPES = "recipes.json"
PROGRAM = "program/node.pyz"
SPDX = "sbom.spdx.json"
CYCLONEDX = "sbom.cdx.json"
ARTIFACTS = "artifacts/"
IMAGES = "images/"
ADDONS = "addons/"


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One file of the archive."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledArtifact:
    """An artifact of the lock, and the member that is its bytes."""

    id: str
    version: str
    url: str
    member: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BundledImage:
    """A container image by the digest of its index or manifest, which is a blob in `images/`."""

    reference: str
    digest: str
    media_type: str
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleManifest:
    """What a bundle holds; members stand in the order of the archive."""

    api_version: str = written("Bundle")
    kind: str = "Bundle"
    fleets: tuple[str, ...]
    transom: str
    artifacts: tuple[BundledArtifact, ...]
    images: tuple[BundledImage, ...]
    members: tuple[Member, ...]


def blob_name(digest: str) -> str:
    """The member that is a blob of the image layout."""
    return f"{IMAGES}blobs/{digest.replace(':', '/')}"


def by_name(members: Iterable[Member]) -> dict[str, Member]:
    """Members by their names."""
    return {member.name: member for member in members}
