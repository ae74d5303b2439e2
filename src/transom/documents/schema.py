"""A dataclass or named tuple as JSON Schema, draft 2020-12: what `transom.model.codec` writes and reads.

No command makes a schema while it runs. It knows the types that documents are made of and refuses
every other.
"""

import types
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from inspect import cleandoc
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

from transom.model.api_versions import KINDS
from transom.model.choices import OneOf
from transom.model.codec import camel_case, encode
from transom.spec.schema import DRAFT

_PLAIN = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
# What says which document it is: these have one value, and no document is without them.
_HEAD = ("api_version", "kind")


def schema_of(document: type, *, is_input: bool = True, uri: str = "") -> dict[str, Any]:
    """The schema of a whole document; each class and enumeration in it is an entry of `$defs`.

    What Transom reads has no other keys than these. What it writes may get more without a new version,
    so its schema takes any.
    """
    found: dict[str, type] = {}
    root = _object(document, found)
    definitions: dict[str, Any] = {}
    while missing := sorted(found.keys() - definitions.keys()):
        for name in missing:
            definitions[name] = _definition(found[name], found)
    title = root["properties"].get("kind", {}).get("const", document.__name__)
    if is_input and title in KINDS:
        root["properties"]["apiVersion"] = {"enum": [*KINDS[title].read]}
    if not is_input:
        for part in (root, *definitions.values()):
            part.pop("additionalProperties", None)
    head = {"$schema": DRAFT, **({"$id": uri} if uri else {}), "title": title}
    return {**head, **root, "$defs": dict(sorted(definitions.items()))}


def _definition(kind: type, found: dict[str, type]) -> dict[str, Any]:
    if issubclass(kind, Enum):
        return {"description": _about(kind), "enum": [member.value for member in kind]}
    return _object(kind, found)


def _object(kind: type, found: dict[str, type]) -> dict[str, Any]:
    hints = get_type_hints(kind, include_extras=True)
    properties: dict[str, Any] = {}
    required = []
    for key, default in _fields(kind).items():
        name = camel_case(key)
        if key in _HEAD and isinstance(default, str):
            properties[name] = {"const": default}
            required.append(name)
            continue
        properties[name] = _schema(hints[key], found)
        if default is MISSING:
            required.append(name)
        else:
            properties[name]["default"] = encode(default)
    return {
        "type": "object",
        "description": _about(kind),
        "additionalProperties": False,
        "required": required,
        "properties": properties,
    }


def _schema(hint: Any, found: dict[str, type]) -> dict[str, Any]:
    origin = get_origin(hint)
    if hint is Any or hint in _PLAIN:
        return {} if hint is Any else {"type": _PLAIN[hint]}
    if origin is Annotated:
        return _annotated(*get_args(hint), found=found)
    if origin in (Union, types.UnionType):
        return {"anyOf": [_schema(option, found) for option in get_args(hint)]}
    if origin is tuple:
        return {"type": "array", "items": _schema(get_args(hint)[0], found)}
    if origin is not None and issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _schema(get_args(hint)[1], found)}
    if isinstance(hint, type) and (_fields(hint) or issubclass(hint, Enum)):
        if found.setdefault(hint.__name__, hint) is not hint:
            raise TypeError(f"two types of one document are called {hint.__name__}")
        return {"$ref": f"#/$defs/{hint.__name__}"}
    raise TypeError(f"no document may have a value of type {hint!r}")


def _annotated(hint: Any, *notes: Any, found: dict[str, type]) -> dict[str, Any]:
    choices = next((note for note in notes if isinstance(note, OneOf)), OneOf())
    return _schema(hint, found) | ({"enum": [*choices]} if choices else {})


def _fields(kind: type) -> dict[str, Any]:
    """The names a class declares, with their defaults."""
    if is_dataclass(kind):
        return {
            field.name: field.default
            if field.default_factory is MISSING
            else field.default_factory()
            for field in fields(kind)
        }
    defaults = getattr(kind, "_field_defaults", {})
    return {name: defaults.get(name, MISSING) for name in getattr(kind, "_fields", ())}


def _about(kind: type) -> str:
    """The docstring with keys as they are in JSON and paragraphs as lines, for any width."""
    text = cleandoc(kind.__doc__ or "")
    for name in _fields(kind):
        text = text.replace(f"`{name}`", f"`{camel_case(name)}`")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))
