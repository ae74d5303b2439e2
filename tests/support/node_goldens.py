"""Golden recipes with their artifacts locked and packed."""

import hashlib
import io
import tarfile
import zipfile
from dataclasses import replace

from transom.model.recipe import Unpack


def locked(recipe, host):
    """The recipe with the hashes of downloads made up for it."""
    artifacts = []
    for artifact in recipe.artifacts:
        content = packed(artifact)
        host.source.content[artifact.url] = content
        artifacts.append(replace(artifact, sha256=hashlib.sha256(content).hexdigest()))
    return replace(recipe, artifacts=tuple(artifacts))


def packed(artifact):
    buffer = io.BytesIO()
    names = [member.name for member in artifact.members]
    if artifact.unpack is Unpack.FILE:
        return artifact.id.encode()
    if artifact.unpack is Unpack.ZIP:
        with zipfile.ZipFile(buffer, "w") as archive:
            for name in names:
                archive.writestr(name, name)
        return buffer.getvalue()
    with tarfile.open(fileobj=buffer, mode="w:gz") as tar:
        for name in names:
            entry = tarfile.TarInfo(name)
            entry.size = len(name)
            tar.addfile(entry, io.BytesIO(name.encode()))
    return buffer.getvalue()
