"""A declared document as JSON Schema, draft 2020-12: for editors, and for our own validation.

One function from shape to schema. The keyword `patternErrorMessage` is the editors' own way to say
in words what a pattern wants; validators skip it.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from transom.spec.shape import (
    EXTENSION,
    Count,
    Flag,
    Free,
    Items,
    Number,
    Object,
    Shape,
    Table,
    Text,
    Union,
)
from transom.spec.syntax import Syntax

DRAFT = "https://json-schema.org/draft/2020-12/schema"
_COUNT = {
    "type": ["integer", "string"],
    "minimum": 1,
    "maximum": 2**31 - 1,
    "pattern": "^(?:[1-9][0-9]?%|100%)$",
    "patternErrorMessage": "neither a count nor a percentage such as 25%",
}


def schema_of(document: Object) -> dict[str, Any]:
    """The schema of a whole document; each kind of map is one entry of `$defs`."""
    definitions: dict[str, Any] = {}
    root = _object(document, definitions)
    return {
        "$schema": DRAFT,
        "title": document.title,
        **root,
        "$defs": dict(sorted(definitions.items())),
    }


def schema_of_files(name: str, documents: Sequence[Object]) -> dict[str, Any]:
    """The schema of files that hold documents of several kinds, each judged by its `kind`."""
    definitions: dict[str, Any] = {}
    for document in documents:
        definitions[document.title] = _object(document, definitions)
    kinds = [document.title for document in documents]
    return {
        "$schema": DRAFT,
        "$id": f"https://transom.dev/schemas/{name}.schema.json",
        "title": " or ".join([", ".join(kinds[:-1]), kinds[-1]]),
        "type": "object",
        "required": ["apiVersion", "kind"],
        "properties": {"kind": {"enum": kinds}},
        "allOf": [
            {
                "if": {"properties": {"kind": {"const": kind}}, "required": ["kind"]},
                "then": {"$ref": f"#/$defs/{kind}"},
            }
            for kind in kinds
        ],
        "$defs": dict(sorted(definitions.items())),
    }


def _schema(shape: Shape, definitions: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any]
    match shape:
        case Text():
            return _text(shape)
        case Object():
            _define(shape, definitions)
            return {"$ref": f"#/$defs/{shape.title}", "description": shape.about}
        case Flag():
            only = {"const": True} if shape.only_true else {}
            return {"type": "boolean", **only, "description": shape.about}
        case Number():
            schema = {"type": "integer", "minimum": shape.minimum, "maximum": shape.maximum}
        case Count():
            schema = dict(_COUNT)
        case Items():
            least = {"minItems": shape.least} if shape.least else {}
            schema = {"type": "array", "items": _schema(shape.of, definitions), **least}
        case Table():
            schema = {
                "type": "object",
                "propertyNames": _syntax(shape.keys),
                "additionalProperties": _schema(shape.of, definitions),
            }
        case Free():
            schema = {"type": "object"}
    return schema | {"description": shape.about} | _examples(shape.examples)


def _define(shape: Object, definitions: dict[str, Any]) -> None:
    if shape.title not in definitions:
        definitions[shape.title] = _object(shape, definitions)


def _text(shape: Text) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "type": ["string", "number", "boolean"] if shape.numeric else "string",
        "description": shape.about,
    }
    if shape.choices:
        schema["enum"] = list(shape.choices)
    if shape.unshown:
        schema["writeOnly"] = True
    if shape.syntax is not None:
        schema |= _syntax(shape.syntax)
    return schema | _examples(shape.examples)


def _syntax(syntax: Syntax) -> dict[str, Any]:
    if syntax.accepts is not None:
        return {"format": syntax.name}
    return {"pattern": f"^(?:{syntax.pattern})$", "patternErrorMessage": f"not {syntax.wanted}"}


def _examples(examples: tuple[Any, ...]) -> dict[str, Any]:
    return {"examples": list(examples)} if examples else {}


def _object(shape: Object, definitions: dict[str, Any]) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "type": "object",
        "description": shape.about,
        "additionalProperties": False,
        "properties": {key: _schema(below, definitions) for key, below in shape.keys.items()},
    }
    if shape.required:
        schema["required"] = list(shape.required)
    if shape.exactly_one:
        schema["oneOf"] = [{"required": [key]} for key in shape.exactly_one]
    if shape.at_least_one:
        schema["anyOf"] = [{"required": [key]} for key in shape.at_least_one]
    exclusions = [{"not": {"required": list(pair)}} for pair in shape.not_both]
    if shape.union is not None:
        exclusions += _union(shape.union)
    if exclusions:
        schema["allOf"] = exclusions
    if shape.needs:
        schema["dependentRequired"] = {key: list(needs) for key, needs in shape.needs.items()}
    if shape.extensible:
        schema["patternProperties"] = {f"^{EXTENSION}": {}}
    return schema


def _union(union: Union) -> Iterator[dict[str, Any]]:
    """No settings of a type that was not chosen."""
    for type_, key in union.members.items():
        others = {"enum": [other for other in union.members if other != type_]}
        yield {"not": {"required": ["type", key], "properties": {"type": others}}}
    if union.inferred:
        yield {"not": {"required": list(union.members.values())}}


def schema_text(schema: dict[str, Any]) -> str:
    """A schema as the file that is shipped."""
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"
