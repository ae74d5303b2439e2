"""The shipped JSON Schema is the declaration's, explains every key, and takes what Transom takes."""

import json
from pathlib import Path

import pytest
from jsonschema_rs import Draft202012Validator, meta

from transom.site.fleet_keys import changes
from transom.spec.reference import MARK, reference
from transom.spec.schema import schema_of_files, schema_text
from transom.spec.shape import Items, Object, Table, Text
from transom.spec.shapes.client import CLIENT
from transom.spec.shapes.document import FLEET, WINDOWS_HOST
from transom.spec.syntax import FORMATS
from transom.yamlio.loader import load

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = ROOT / "src/transom/schemas/fleet-v1alpha2.schema.json"
WRITTEN = (FLEET, WINDOWS_HOST, CLIENT)
SCHEMA = json.loads(SHIPPED.read_bytes())
FORMAT_CHECKS = {name: syntax.matches for name, syntax in FORMATS.items()}


def all_shapes():
    for document in WRITTEN:
        yield from shapes(document, document.title)


def shapes(shape, path):
    yield path, shape
    if isinstance(shape, Object):
        for key, below in shape.keys.items():
            yield from shapes(below, f"{path}.{key}")
    elif isinstance(shape, Items | Table):
        yield from shapes(shape.of, f"{path}[]")


def nodes(node):
    if isinstance(node, dict):
        yield node
        for below in node.values():
            yield from nodes(below)
    elif isinstance(node, list):
        for below in node:
            yield from nodes(below)


def test_the_shipped_file_is_current():
    assert SHIPPED.read_text(encoding="utf-8") == schema_text(
        schema_of_files("fleet-v1alpha2", WRITTEN)
    )


def test_it_is_a_schema_of_draft_2020_12():
    assert SCHEMA["$schema"].endswith("2020-12/schema")
    assert meta.is_valid(SCHEMA)


@pytest.mark.parametrize("file", ["examples/fleet.yaml", "tests/data/fleets/shop.yaml"])
def test_an_editor_takes_our_fleets_as_yaml_reads_them(file):
    """Each document of a file is judged by its kind."""
    validator = Draft202012Validator(SCHEMA, validate_formats=True, formats=FORMAT_CHECKS)
    documents = load((ROOT / file).read_bytes(), name=file)
    assert len(documents) > 1
    for document in documents:
        assert [error.message for error in validator.iter_errors(document.value)] == []
        wrong = {**document.value, "colour": "blue"}
        assert not validator.is_valid(wrong)


def test_every_key_is_explained_in_sentences():
    unexplained = [path for path, shape in all_shapes() if not shape.about.endswith(".")]
    assert unexplained == []


def test_every_map_has_a_title_of_its_own():
    titles: dict[str, Object] = {}
    for _, shape in all_shapes():
        if isinstance(shape, Object):
            assert titles.setdefault(shape.title, shape) is shape


def test_every_reference_leads_to_a_definition():
    references = {node["$ref"] for node in nodes(SCHEMA) if isinstance(node.get("$ref"), str)}
    assert references == {f"#/$defs/{name}" for name in SCHEMA["$defs"]}


def test_every_example_is_valid_where_it_is_given():
    for node in nodes(SCHEMA):
        for example in node.get("examples", ()):
            own = {**node, "$defs": SCHEMA["$defs"]}
            validator = Draft202012Validator(own, validate_formats=True, formats=FORMAT_CHECKS)
            assert validator.is_valid(example), (example, node)


def test_every_text_with_an_example_takes_it():
    for path, shape in all_shapes():
        if isinstance(shape, Text) and shape.syntax is not None:
            assert all(map(shape.syntax.matches, shape.examples)), path


def test_the_page_is_current_and_names_every_key():
    page = (ROOT / "docs/fleet.md").read_text(encoding="utf-8")
    generated = page.partition(MARK)[2]
    assert generated == f"\n\n{reference(WRITTEN, changes=changes())}"
    for _, shape in all_shapes():
        if isinstance(shape, Object):
            assert f"### {shape.title}\n" in generated
            assert all(f"| `{key}` |" in generated for key in shape.keys)


def test_the_schema_uses_only_keywords_that_validation_has_words_for():
    annotations = {"$schema", "$id", "$defs", "title", "description", "examples", "writeOnly"}
    structure = {"$ref", "properties", "patternProperties", "items", "allOf", "if", "then"}
    structure |= {"patternErrorMessage"}
    worded = {
        *("type", "required", "dependentRequired", "additionalProperties", "propertyNames"),
        *("oneOf", "anyOf", "not", "enum", "const", "pattern", "format"),
        *("minimum", "maximum", "minItems"),
    }
    maps_of_names = ("properties", "patternProperties", "$defs", "dependentRequired", "examples")

    def keywords(node):
        for keyword, below in node.items():
            yield keyword
            if keyword in maps_of_names:
                inner = below.values() if keyword in ("properties", "$defs") else ()
            else:
                inner = below if isinstance(below, list) else [below]
            for each in inner:
                if isinstance(each, dict):
                    yield from keywords(each)

    assert set(keywords(SCHEMA)) == annotations | structure | worded
