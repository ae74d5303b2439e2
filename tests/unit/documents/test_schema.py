"""Schemas say of documents what the codec does with them."""

import json
import re
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field, make_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema_rs import Draft202012Validator, meta

from transom.documents.catalogue import DOCUMENTS
from transom.documents.fleets import FleetPlanDocument
from transom.documents.schema import schema_of
from transom.model.codec import decode
from transom.model.recipe import Recipe

RECIPES = sorted((Path(__file__).parents[2] / "data" / "recipes").glob("*.json"))


class Colour(Enum):
    """A colour."""

    RED = "red"


@dataclass(frozen=True)
class Part:
    """A part."""

    colour: Colour


@dataclass(frozen=True, kw_only=True)
class Whole:
    """All that there is.

    `some_parts` are
    its parts.
    """

    api_version: str = "example/v1"
    kind: str = "Whole"
    some_parts: tuple[Part, ...]
    size: int | None
    share: float = 0.5
    names: Mapping[str, bool] = field(default_factory=dict)
    rest: Any = None


def test_a_dataclass_as_a_schema():
    assert schema_of(Whole) == {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Whole",
        "type": "object",
        "description": "All that there is.\n\n`someParts` are its parts.",
        "additionalProperties": False,
        "required": ["apiVersion", "kind", "someParts", "size"],
        "properties": {
            "apiVersion": {"const": "example/v1"},
            "kind": {"const": "Whole"},
            "someParts": {"type": "array", "items": {"$ref": "#/$defs/Part"}},
            "size": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "share": {"type": "number", "default": 0.5},
            "names": {
                "type": "object",
                "additionalProperties": {"type": "boolean"},
                "default": {},
            },
            "rest": {"default": None},
        },
        "$defs": {
            "Colour": {"description": "A colour.", "enum": ["red"]},
            "Part": {
                "type": "object",
                "description": "A part.",
                "additionalProperties": False,
                "required": ["colour"],
                "properties": {"colour": {"$ref": "#/$defs/Colour"}},
            },
        },
    }


def test_a_type_that_no_document_may_have_is_refused():
    @dataclass
    class Odd:
        when: complex

    with pytest.raises(TypeError, match="complex"):
        schema_of(Odd)


def test_two_types_of_one_name_are_refused():
    other = make_dataclass("Part", [("size", int)])
    both = make_dataclass("Both", [("one", Part), ("two", other)])
    with pytest.raises(TypeError, match="called Part"):
        schema_of(both)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_every_schema_is_a_schema_and_describes_all_its_types(document):
    schema = schema_of(document.declaration)
    assert meta.is_valid(schema)
    for part in (schema, *schema["$defs"].values()):
        assert part["description"]
        assert "(" not in part["description"].partition(" ")[0], "a signature is no description"


@cache
def sample():
    return json.loads(RECIPES[-1].read_text("utf-8"))


@cache
def validator():
    return Draft202012Validator(schema_of(Recipe))


def places(value, path=()):
    """Every place of a document."""
    yield path
    if isinstance(value, dict | list):
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        for key, below in entries:
            yield from places(below, (*path, key))


PLACES = [path for path in places(sample()) if path and path not in {("apiVersion",), ("kind",)}]
VALUES = st.sampled_from([None, True, 7, "text", "zip", [], ["text"], {}, {"surprise": "text"}])


@given(st.sampled_from(PLACES), VALUES, st.booleans())
def test_the_schema_and_the_codec_agree_on_what_is_a_recipe(path, value, remove):
    document = deepcopy(sample())
    *above, last = path
    container = document
    for key in above:
        container = container[key]
    if remove:
        del container[last]
    else:
        container[last] = value
    try:
        decode(Recipe, document)
    except ValueError:
        accepted = False
    else:
        accepted = True
    assert validator().is_valid(document) == accepted


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_what_is_read_is_closed_and_what_is_printed_is_open(document):
    schema = schema_of(document.declaration, is_input=document.is_input)
    parts = [part for part in (schema, *schema["$defs"].values()) if "properties" in part]
    assert {part.get("additionalProperties", True) for part in parts} == {not document.is_input}


def test_what_is_read_has_every_version_that_is_read():
    versions = {
        item.name: schema_of(item.declaration)["properties"]["apiVersion"]["enum"]
        for item in DOCUMENTS
        if item.is_input
    }
    assert versions == {
        "given": ["node.transom.dev/v1alpha1", "transom.dev/v1alpha1"],
        "lock": ["transom.dev/v1alpha2", "transom.dev/v1alpha1"],
        "node-entry": ["node.transom.dev/v1alpha1", "transom.dev/v1alpha1"],
        "order": ["node.transom.dev/v1alpha1", "transom.dev/v1alpha1"],
        "recipe": ["node.transom.dev/v1alpha1", "transom.dev/v1alpha1"],
        "request": ["node.transom.dev/v1alpha1", "transom.dev/v1alpha1"],
    }


def test_a_text_of_few_values_is_an_enumeration():
    planned = schema_of(FleetPlanDocument)["$defs"]["PlannedHost"]["properties"]
    assert planned["disruption"] == {
        "type": "string",
        "enum": ["none", "kubelet-restart", "pods-stop", "network-blip", "reboot"],
    }


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_keys_are_camel_case(document):
    schema = schema_of(document.declaration)
    for part in (schema, *schema["$defs"].values()):
        for key in part.get("properties", {}):
            assert re.fullmatch(r"[a-z][A-Za-z0-9]*", key), key
