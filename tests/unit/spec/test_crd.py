"""The CustomResourceDefinitions are structural, bounded, explained, and made from the declaration.

Whether an API server takes them, and what it then refuses, is tested in the lab.
"""

import re
from pathlib import Path
from typing import Any

import pytest

from transom.spec import syntax
from transom.spec.crd import RESOURCES, definition
from transom.spec.kustomize import openapi
from transom.spec.shape import Count, Flag, Items, Number, Object, Shape, Table, Text, Union
from transom.spec.shapes.document import API_VERSION, FLEET, WINDOWS_HOST
from transom.spec.structural import Choices, literal, structural
from transom.spec.structural_text import pattern
from transom.spec.validation import faults_of
from transom.yamlio.loader import load

FORBIDDEN = {
    "$ref",
    "oneOf",
    "allOf",
    "not",
    "propertyNames",
    "patternProperties",
    "dependentRequired",
    "examples",
    "const",
}
EXAMPLE = Path(__file__).parents[2] / "data" / "crds" / "shop.yaml"
WORD = Text(about="A word.")
CRDS = {resource.plural: definition(resource) for resource in RESOURCES}


def schema_of(crd):
    (version,) = crd["spec"]["versions"]
    return version["schema"]["openAPIV3Schema"]


def fields(schema, path=""):
    """Every schema of a field with its path."""
    yield path, schema
    for key, below in schema.get("properties", {}).items():
        yield from fields(below, f"{path}.{key}")
    for keyword in ("items", "additionalProperties"):
        if keyword in schema:
            yield from fields(schema[keyword], f"{path}[]")


def shapes(shape, path):
    yield path, shape
    if isinstance(shape, Object):
        for key, below in shape.keys.items():
            yield from shapes(below, f"{path}.{key}")
    elif isinstance(shape, Items | Table):
        yield from shapes(shape.of, f"{path}[]")


FIELDS = [
    (f"{plural}{path}", schema)
    for plural, crd in CRDS.items()
    for path, schema in fields(schema_of(crd))
]
TEXTS = [
    (path, shape)
    for document in (FLEET, WINDOWS_HOST)
    for path, shape in shapes(document, document.title)
    if isinstance(shape, Text) and shape.syntax is not None
]


def test_every_field_has_one_type_and_no_keyword_that_is_not_structural():
    for path, schema in FIELDS:
        assert not FORBIDDEN & schema.keys(), path
        if "x-kubernetes-int-or-string" in schema:
            assert "type" not in schema, path
        else:
            assert isinstance(schema["type"], str), path


def test_everything_that_a_rule_may_walk_is_bounded():
    for path, schema in FIELDS:
        if ".status" in path or schema.get("format") == "date-time":
            continue
        bound = {"array": "maxItems", "string": "maxLength"}.get(schema.get("type", ""))
        identity = path.endswith((".apiVersion", ".kind"))
        assert bound is None or bound in schema or "enum" in schema or identity, path
        assert "additionalProperties" not in schema or "maxProperties" in schema, path


def test_every_field_of_a_spec_is_explained():
    for path, schema in FIELDS:
        assert ".spec" not in path or schema["description"].endswith("."), path


def test_patterns_have_nothing_that_go_does_not_compile():
    for path, schema in FIELDS:
        assert not re.search(r"\(\?[=!<]", schema.get("pattern", "")), path


@pytest.mark.parametrize(("path", "shape"), TEXTS, ids=[path for path, _ in TEXTS])
def test_a_pattern_takes_every_example_of_its_field(path, shape):
    for example in shape.examples:
        assert re.fullmatch(pattern(shape.syntax), example), path


GOOD = {
    "host": ["10.0.0.21", "fd00::21", "win-01", "win-01.corp.example.", "a_b.c"],
    "address": ["10.0.0.21", "fd00::21", "::ffff:10.0.0.1"],
    "cidr": ["10.244.0.0/16", "fd00:10::/56"],
    "endpoint": ["10.0.0.10:6443", "[fd00::1]:6443", "api.corp:443"],
    "jump": ["bastion", "me@bastion:2222", "me@[fd00::1]:22", "fd00::1", "CORP\\me@bastion"],
    "url": ["https://mirror.corp/k8s?x=1", "http://[fd00::1]:8080/"],
    "no-proxy": [".corp", "10.0.0.0/8", "*"],
    "registry": ["registry.k8s.io", "registry.corp:5000", "[fd00::1]:5000"],
    "dns-name": ["corp.example"],
    "duration": ["1h30m", "10m", "5s"],
    "member": ["kubernetes/node/bin/kubelet.exe"],
}
BAD = {
    "host": ["10.0.0.21:2222", "a b", "https://x"],
    "address": ["win-01", "10.0.0"],
    "cidr": ["10.244.0.0"],
    "endpoint": ["10.0.0.10"],
    "url": ["ftp://x", "mirror.corp"],
    "registry": ["https://registry.k8s.io"],
    "member": ["/bin/kubelet.exe", "bin\\kubelet.exe"],
}


SYNTAXES = {
    value.name: value for value in vars(syntax).values() if isinstance(value, syntax.Syntax)
}


@pytest.mark.parametrize("name", GOOD)
def test_a_form_takes_what_the_syntax_takes_and_not_what_is_something_else(name):
    known = SYNTAXES[name]
    for text in GOOD[name]:
        assert known.matches(text)
        assert re.fullmatch(pattern(known), text), text
    for text in BAD.get(name, ()):
        assert not known.matches(text)
        assert not re.fullmatch(pattern(known), text), text


def test_every_syntax_of_the_documents_has_a_pattern():
    assert [path for path, shape in TEXTS if shape.syntax and not pattern(shape.syntax)] == []


def test_the_whole_example_is_right_by_the_declaration_too():
    """What the lab sends to an API server is what files may hold."""
    documents = load(EXAMPLE.read_bytes(), name=EXAMPLE.name)
    declared = {document.title: document for document in (FLEET, WINDOWS_HOST)}
    assert [
        fault
        for document in documents
        for fault in faults_of(declared[document.value["kind"]], document.value, document.text)
    ] == []


def test_paths_that_are_treated_specially_are_those_of_fields():
    """A key that is renamed in the declaration does not lose its rule here unnoticed."""
    for resource in RESOURCES:
        known = {path for path, _ in shapes(resource.document.keys["spec"], "spec")}
        titles = {
            shape.title for _, shape in shapes(resource.document, "") if isinstance(shape, Object)
        }
        assert resource.choices.left_out | resource.choices.immutable <= known
        assert resource.choices.inherited <= titles


def test_what_only_a_persons_machine_knows_is_not_in_a_cluster():
    names = {path.rpartition(".")[2] for path, _ in FIELDS}
    assert not names & {"kubeconfig", "context", "bundle", "credentials", "hosts", "command"}


def test_levels_that_inherit_have_no_defaults():
    """A default there would hide what the level above says."""
    levels = re.compile(r"\.spec\.(pools\[\]|host)\.")
    assert [path for path, schema in FIELDS if levels.search(path) and "default" in schema] == []


def test_defaults_of_the_declaration_are_values():
    found = dict(FIELDS)
    assert found["fleets.spec.paused"]["default"] is False
    assert found["fleets.spec.endOfLifePolicy"]["default"] == "Refuse"
    assert found["fleets.spec.rollout.drain.timeoutSeconds"]["default"] == 600
    assert found["fleets.spec.defaults.rebootPolicy"]["default"] == "IfNeeded"
    assert "default" not in found["fleets.spec.privilegedMode"]
    assert (
        "If left out: by version and runtime." in found["fleets.spec.privilegedMode"]["description"]
    )


LITERALS: dict[str, tuple[Shape, Any]] = {
    "a choice": (Text(about="", choices=("Keep",), default="`Keep`"), "Keep"),
    "words": (Text(about="", default="the host's `address`"), None),
    "words in place of a choice": (Text(about="", choices=("A",), default="the usual"), None),
    "a number": (Number(about="", minimum=0, maximum=9, default="7"), 7),
    "a number in words": (Number(about="", minimum=0, maximum=9, default="the usual one"), None),
    "a count": (Count(about="", default="1"), 1),
    "a flag": (Flag(about="", default="false"), False),
    "nothing": (Flag(about=""), None),
}


@pytest.mark.parametrize("case", LITERALS)
def test_a_default_is_a_value_or_words(case):
    shape, value = LITERALS[case]
    assert literal(shape) == value


def test_lists_of_named_things_are_maps_by_their_keys():
    found = dict(FIELDS)
    assert found["fleets.spec.pools"]["x-kubernetes-list-map-keys"] == ["name"]
    assert found["fleets.spec.defaults.taints"]["x-kubernetes-list-map-keys"] == ["key", "effect"]
    assert found["fleets.spec.network.podCIDRs"]["x-kubernetes-list-type"] == "atomic"


def test_what_kubernetes_defines_is_kept_as_it_is():
    assert dict(FIELDS)["fleets.spec.defaults.kubelet.config"] == {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
        "description": "Fields of KubeletConfiguration, as Kubernetes spells them.",
    }


RULES: dict[str, tuple[dict[str, Any], tuple[str, str]]] = {
    "exactly one": (
        {"exactly_one": ("a", "b")},
        ("(has(self.a) ? 1 : 0) + (has(self.b) ? 1 : 0) == 1", "exactly one of a and b is needed"),
    ),
    "at least one": (
        {"at_least_one": ("a", "b")},
        ("has(self.a) || has(self.b)", "at least one of a and b is needed"),
    ),
    "not both": (
        {"not_both": (("a", "b"),)},
        ("!(has(self.a) && has(self.b))", "a and b exclude each other"),
    ),
    "needs": ({"needs": {"a": ("b",)}}, ("!has(self.a) || has(self.b)", "a needs b")),
    "a word of CEL": (
        {"needs": {"a": ("for",)}},
        ("!has(self.a) || has(self.__for__)", "a needs for"),
    ),
    "a union": (
        {"union": Union(members={"A": "a"}), "required": ("type",)},
        ('!has(self.a) || self.type == "A"', "a is only for type A"),
    ),
}


@pytest.mark.parametrize("case", RULES)
def test_what_keys_ask_of_each_other_is_a_rule_with_a_message(case):
    constraint, (rule, message) = RULES[case]
    keys = dict.fromkeys(("a", "b", "for", "type"), WORD)
    shape = Object(title="X", about="X.", keys=keys, **constraint)
    schema = structural(shape, "spec", Choices())
    assert schema["x-kubernetes-validations"] == [{"rule": rule, "message": message}]


def test_keys_that_people_choose_are_judged_by_a_rule():
    shape = Table(about="X.", keys=syntax.GATE, of=WORD)
    (rule,) = structural(shape, "spec", Choices())["x-kubernetes-validations"]
    assert rule == {
        "rule": 'self.all(key, key.matches("^(?:[A-Z][A-Za-z0-9]*)$"))',
        "message": "each key must be a feature gate's name such as WinDSR",
    }


def test_a_union_that_may_be_inferred_takes_one_member():
    union = Union(members={"A": "a", "B": "b"}, inferred=True)
    shape = Object(title="X", about="X.", keys={"type": WORD, "a": WORD, "b": WORD}, union=union)
    rules = structural(shape, "spec", Choices())["x-kubernetes-validations"]
    assert [rule["message"] for rule in rules] == [
        "a is only for type A",
        "b is only for type B",
        "at most one of a and b is taken",
    ]
    assert rules[0]["rule"] == '!has(self.a) || !has(self.type) || self.type == "A"'


def test_an_immutable_key_may_be_set_later_but_not_changed_or_taken_away():
    shape = Object(title="X", about="X.", keys={"a": WORD, "b": WORD}, required=("a",))
    choices = Choices(immutable=frozenset({"spec.a", "spec.b"}))
    rules = structural(shape, "spec", choices)["x-kubernetes-validations"]
    assert [rule["rule"] for rule in rules] == [
        "self.a == oldSelf.a",
        "!has(oldSelf.b) || (has(self.b) && self.b == oldSelf.b)",
    ]


def test_kustomize_merges_every_list_with_keys():
    definitions = openapi(API_VERSION, (FLEET, WINDOWS_HOST))["definitions"]
    spec = definitions["dev.transom.v1alpha2.Fleet"]["properties"]["spec"]["properties"]
    assert spec["pools"]["x-kubernetes-patch-merge-key"] == "name"
    assert spec["hosts"]["x-kubernetes-patch-strategy"] == "merge"
    assert "network" not in spec
    declared = sum(isinstance(shape, Items) and bool(shape.by) for _, shape in shapes(FLEET, ""))
    assert str(definitions["dev.transom.v1alpha2.Fleet"]).count("list-map-keys") == declared
