"""What kustomize must know of our documents to patch them: which lists are merged, and by which keys.

A file for the field `openapi` of a kustomization. Without it a patch that names one pool or host
replaces the whole list.
"""

from collections.abc import Iterable
from typing import Any

from transom.spec.shape import Items, Object, Shape, Table


def openapi(api_version: str, documents: Iterable[Object]) -> dict[str, Any]:
    """The definitions of documents of one group and version, as kustomize reads them."""
    group, _, version = api_version.partition("/")
    prefix = ".".join([*reversed(group.split(".")), version])
    return {
        "swagger": "2.0",
        "info": {"title": group, "version": version},
        "paths": {},
        "definitions": {
            f"{prefix}.{document.title}": {
                **(_merged(document) or {}),
                "x-kubernetes-group-version-kind": [
                    {"group": group, "version": version, "kind": document.title}
                ],
            }
            for document in documents
        },
    }


def _merged(shape: Shape) -> dict[str, Any] | None:
    """The part of a schema that leads to lists with keys; None where there is none."""
    match shape:
        case Object():
            keys = {key: found for key, of in shape.keys.items() if (found := _merged(of))}
            return {"type": "object", "properties": keys} if keys else None
        case Items() if shape.by:
            return {
                "type": "array",
                "items": _merged(shape.of) or {"type": "object"},
                "x-kubernetes-patch-strategy": "merge",
                "x-kubernetes-patch-merge-key": shape.by[0],
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": list(shape.by),
            }
        case Items():
            below = _merged(shape.of)
            return {"type": "array", "items": below} if below else None
        case Table():
            below = _merged(shape.of)
            return {"type": "object", "additionalProperties": below} if below else None
        case _:
            return None
