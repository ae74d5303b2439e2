"""Artifacts for tests, with only what a test cares about spelt out."""

from transom.model.recipe import Artifact, Unpack


def artifact(name="kubelet", *, version="1.37.1", url="", sha256=None, file=""):
    """An artifact that is one file."""
    return Artifact(
        id=name,
        version=version,
        url=url or f"https://dl.example/v{version}/{name}.exe",
        sha256=sha256,
        unpack=Unpack.FILE,
        path=rf"C:\k\{name}.exe",
        members=(),
        why=f"artifact-{name}",
        file=file,
    )
