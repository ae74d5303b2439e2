"""A Kubernetes object as data, and the words to name one. Standard library only."""

from collections.abc import Mapping
from typing import Any, NamedTuple

# One object as its JSON has it: what renderers make and the API takes.
Manifest = Mapping[str, Any]


class ObjectName(NamedTuple):
    """What tells one object of a cluster from every other."""

    api_version: str
    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        place = f"{self.namespace}/" if self.namespace else ""
        return f"{self.kind} {place}{self.name}"


def name_of(manifest: Manifest) -> ObjectName:
    """The name of an object."""
    metadata = manifest["metadata"]
    return ObjectName(
        str(manifest["apiVersion"]),
        str(manifest["kind"]),
        str(metadata.get("namespace") or ""),
        str(metadata["name"]),
    )
