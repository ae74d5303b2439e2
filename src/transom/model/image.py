"""What an image of a machine holds, and what of a recipe must not be in one.

Machines made of one image share every byte of it, so names, addresses and routes of the machine that
was its model stay out. Read by the node program and by whoever renders image templates.
"""

import hashlib
import json
import re
from dataclasses import replace

from transom.model.api_versions import FIRST, written
from transom.model.codec import encode
from transom.model.recipe import Identity, Recipe
from transom.model.records import dataclass

_ADDRESS = "--address="

OWNER = "image"
"""Whose the journal of an image is while it is made."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageArtifact:
    """A download as it is in the image."""

    id: str
    version: str
    sha256: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageProvenance:
    """What an image was made of: kept in it, without a time, so that the same makes the same.

    `content` is the SHA-256 of what of the recipe is in an image, `program` that of the node program.
    """

    api_version: str = written("ImageProvenance")
    kind: str = "ImageProvenance"
    content: str
    program: str
    kubernetes: str
    windows_release: str
    windows_build: int
    runtime: str
    runtime_version: str
    artifacts: tuple[ImageArtifact, ...]
    recipe: Recipe


def provenance_of(recipe: Recipe, *, program: str) -> ImageProvenance:
    """What an image made by this recipe is told to be."""
    target, bare = recipe.target, without_identity(recipe)
    return ImageProvenance(
        content=content_digest(bare),
        program=program,
        kubernetes=target.kubernetes,
        windows_release=target.windows_release,
        windows_build=target.windows_build,
        runtime=target.runtime,
        runtime_version=target.runtime_version,
        artifacts=tuple(
            ImageArtifact(id=item.id, version=item.version, sha256=item.sha256)
            for item in bare.artifacts
        ),
        recipe=bare,
    )


def without_identity(recipe: Recipe) -> Recipe:
    """The recipe without what belongs to one machine; the join puts that in again."""
    identity = recipe.identity
    words = (word for service in recipe.services for word in service.command)
    own = (word.removeprefix(_ADDRESS) for word in words if word.startswith(_ADDRESS))
    names = (identity.address, identity.name, recipe.join.node_name, *own)
    word = re.compile(
        "|".join(rf"(?<![\w.-]){re.escape(name)}(?![\w.-])" for name in names if name) or "$^"
    )

    def kept(listed: str) -> str:
        """A list such as NO_PROXY without what names the machine."""
        return ",".join(part for part in listed.split(",") if not word.search(part))

    services = (
        replace(
            item,
            command=tuple(part for part in item.command if not word.search(part)),
            environment={key: kept(value) for key, value in item.environment.items()},
        )
        for item in recipe.services
        if not item.runs
    )
    variables = (replace(item, value=kept(item.value)) for item in recipe.environment)
    arguments = {
        name: value
        for name, value in recipe.join.kubelet_extra_args.items()
        if not word.search(value)
    }
    return replace(
        recipe,
        identity=Identity(
            fleet=identity.fleet,
            pool=identity.pool,
            name="",
            address="",
            rename=False,
            reboot=identity.reboot,
        ),
        join=replace(recipe.join, node_name="", kubelet_extra_args=arguments),
        files=tuple(item for item in recipe.files if not word.search(item.content)),
        environment=tuple(item for item in variables if item.value),
        services=tuple(services),
        programs=(),
        routes=(),
    )


def content_digest(recipe: Recipe) -> str:
    """The SHA-256 of what an image has of a recipe: not who it is for, nor whence its bytes came."""
    bare = without_identity(recipe)
    document = encode(
        replace(
            bare,
            identity=replace(bare.identity, fleet="", pool="", reboot=""),
            artifacts=tuple(replace(item, url="", file="") for item in bare.artifacts),
            notes=(),
        )
    )
    # As in the first images: a sum that followed the version of the form would call them all different.
    document["apiVersion"] = FIRST
    return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
