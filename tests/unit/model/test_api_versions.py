"""Each kind has a group, the versions that are read and the one that is written; a newer one is told as such."""

import ast
import json
from pathlib import Path

import pytest

from transom import __version__
from transom.documents.catalogue import DOCUMENTS
from transom.model import api_versions
from transom.model.api_versions import FIRST, KINDS, UnknownVersionError, check
from transom.model.codec import decode, encode
from transom.model.entry import BroughtFile, NodeEntry
from transom.model.image import content_digest
from transom.model.journal import Owner
from transom.model.recipe import Recipe
from transom.model.request import Request, Verb

ROOT = Path(__file__).parents[3]
RECIPES = sorted((ROOT / "tests" / "data" / "recipes").glob("*.json"))
OWNER = Owner(cluster="", fleet="shop", who="cli")


def recipe_document():
    return json.loads(RECIPES[-1].read_text("utf-8"))


def head(declaration):
    fields = declaration.__dataclass_fields__
    if not {"api_version", "kind"} <= fields.keys():
        return None
    return fields["api_version"].default, fields["kind"].default


def test_every_declared_document_is_written_as_its_kind_says():
    heads = {item.name: head(item.declaration) for item in DOCUMENTS}
    # A receipt is a part of the journal, each line of which is a record.
    assert [name for name, found in heads.items() if found is None] == ["receipt"]
    del heads["receipt"], heads["journal-record"]
    assert {name: KINDS[kind].written for name, (_, kind) in heads.items()} == {
        name: version for name, (version, _) in heads.items()
    }


def test_every_kind_is_somewhere_declared():
    declared = {found[1] for item in DOCUMENTS if (found := head(item.declaration))}
    elsewhere = {"Fleet", "WindowsHost", "Client", "Baseline", "Journal"}
    assert KINDS.keys() - declared - elsewhere == set()


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_is_read_and_so_is_what_was_written_first(kind):
    versions = KINDS[kind]
    assert versions.written in versions.read
    # These came after the groups were told apart.
    assert (FIRST in versions.read) is (kind not in {"WindowsHost", "Client"})
    for version in versions.read:
        check(kind, {"apiVersion": version, "kind": kind})


@pytest.mark.parametrize("kind", KINDS)
def test_a_newer_version_of_every_kind_says_that_a_newer_transom_is_needed(kind):
    group = KINDS[kind].group
    newer = {"apiVersion": f"{group}/v1beta1", "kind": kind}
    with pytest.raises(UnknownVersionError) as caught:
        check(kind, newer)
    assert str(caught.value) == (
        f"was written by a newer Transom ({group}/v1beta1); "
        f"this one reads {' and '.join(KINDS[kind].read)}; "
        f"install a Transom newer than {__version__}"
    )


def test_the_version_that_wrote_a_document_is_named_where_it_says_so():
    newer = {"apiVersion": "node.transom.dev/v2", "kind": "Bundle", "transom": "0.9.1"}
    with pytest.raises(UnknownVersionError, match=r"; install Transom 0\.9\.1 or newer$"):
        check("Bundle", newer)
    with pytest.raises(UnknownVersionError, match=r"; install a Transom newer than "):
        check("Bundle", newer | {"transom": "1.0 \x1b[31m"})


@pytest.mark.parametrize(
    "older_first",
    [("v1alpha1", "v1alpha2", "v1alpha10", "v1beta1", "v1", "v2alpha1", "v2")],
)
def test_versions_have_the_order_of_their_stages(older_first):
    for number, version in enumerate(older_first):
        known = api_versions.Versions(f"g/{version}", (f"g/{version}",))
        newer = [item for item in older_first if api_versions.is_newer(f"g/{item}", known)]
        assert newer == [*older_first[number + 1 :]]


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ("example.com/v1", "is a example.com/v1 Recipe; this one reads"),
        ("node.transom.dev/vNext", "is a node.transom.dev/vNext Recipe; this one reads"),
        ("output.transom.dev/v2", "is a output.transom.dev/v2 Recipe; this one reads"),
        ("\x1b[31m", "is a nameless Recipe"),
        (7, "is a nameless Recipe"),
        (None, "is a nameless Recipe"),
    ],
)
def test_what_is_of_no_known_version_is_not_called_newer(found, said):
    with pytest.raises(UnknownVersionError) as caught:
        check("Recipe", {"apiVersion": found, "kind": "Recipe"})
    assert said in str(caught.value)


def test_a_document_of_the_first_version_is_read_as_what_is_written_today():
    old = recipe_document() | {"apiVersion": FIRST}
    assert decode(Recipe, old) == decode(Recipe, recipe_document())


def test_a_newer_document_is_told_by_its_version_before_its_keys():
    newer = recipe_document() | {"apiVersion": "node.transom.dev/v1beta1", "surprise": {}}
    with pytest.raises(UnknownVersionError, match=r"^Recipe was written by a newer Transom"):
        decode(Recipe, newer)


def test_a_newer_document_inside_another_is_told_with_its_path():
    request = Request(verb=Verb.PLAN, recipe=decode(Recipe, recipe_document()), owner=OWNER)
    document = encode(request)
    document["recipe"]["apiVersion"] = "node.transom.dev/v1alpha2"
    with pytest.raises(UnknownVersionError, match=r"^Request\.recipe was written by a newer"):
        decode(Request, document)


def test_a_document_of_another_kind_is_not_read():
    brought = BroughtFile(file="a", url="", sha256="")
    entry = encode(NodeEntry(python=brought, program=brought, owner=OWNER))
    with pytest.raises(UnknownVersionError, match=r"NodeEntry, not a Recipe$"):
        decode(Recipe, entry)


def test_an_image_of_the_first_version_has_the_content_that_it_says():
    old = decode(Recipe, recipe_document() | {"apiVersion": FIRST})
    assert content_digest(old) == content_digest(decode(Recipe, recipe_document()))


def test_the_boot_script_writes_its_report_as_the_node_program_does():
    source = (ROOT / "src/transom/bootstrap/windows/bring.py").read_text("utf-8")
    texts = {node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)}
    assert KINDS["BootReport"].written in texts
