"""Images by digest: what a lock has of them, written into the manifests. Pure."""

from collections.abc import Iterable, Mapping
from typing import Any

from transom.model.lock import IMAGE, Lock
from transom.model.manifest import Manifest


def by_digest(manifests: Iterable[Manifest], lock: Lock) -> list[Manifest]:
    """The manifests; an image that the lock has keeps its tag for people and gets its digest."""
    digests = {entry.version: entry.sha256 for entry in lock.entries if entry.id == IMAGE}
    return [_pinned(manifest, digests) for manifest in manifests]


def _pinned(value: Any, digests: Mapping[str, str]) -> Any:
    if isinstance(value, Mapping):
        return {key: _value(key, item, digests) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_pinned(item, digests) for item in value]
    return value


def _value(key: str, value: Any, digests: Mapping[str, str]) -> Any:
    if key == "image" and isinstance(value, str) and value in digests:
        return f"{value}@sha256:{digests[value]}"
    return _pinned(value, digests)
