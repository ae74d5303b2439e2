"""A fleet of v1alpha1 written as v1alpha2 means the same: the same recipes, byte for byte."""

import json
from pathlib import Path

import pytest

from transom.model.codec import encode
from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets
from transom.spec.shapes.client import CLIENT
from transom.spec.shapes.document import FLEET
from transom.spec.v1alpha1.convert import convert
from transom.spec.v1alpha1.document import FLEET as OLD
from transom.spec.v1alpha1.rewriting import rewritten
from transom.spec.v1alpha1.written import as_written
from transom.spec.validation import faults_of
from transom.yamlio.loader import load

DATA = Path(__file__).resolve().parents[4] / "tests" / "data"
FIXTURES = sorted((DATA / "fleets" / "v1alpha1").glob("*.yaml"))


def recipes(source):
    (fleet,) = read_fleets(source, name="any")
    return "".join(
        json.dumps(encode(each), indent=1, ensure_ascii=False) + "\n" for each in resolve(fleet)
    )


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_a_fixture_gives_the_recipes_it_always_gave(path):
    golden = DATA / "recipes" / f"{path.stem}.json"
    expected = golden.read_text("utf-8") if golden.is_file() else recipes(path.read_bytes())
    assert recipes(path.read_bytes()) == expected
    assert recipes(rewritten(path.read_bytes(), name=path.name).text) == expected
    assert recipes((DATA / "fleets" / path.name).read_bytes()) == expected


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_what_is_converted_is_right_as_v1alpha2(path):
    (document,) = load(path.read_bytes(), name=path.name)
    new = convert(as_written(OLD, document))
    assert faults_of(FLEET, new.fleet) == []
    assert new.client is None or faults_of(CLIENT, new.client) == []


OLD_TEXT = """\
# shop's machines
apiVersion: transom.dev/v1alpha1
kind: Fleet
metadata: {name: shop}
spec:
  kubernetes: {version: 1.30} # soon 1.31
  network: {podCIDRs: [10.244.0.0/16], serviceCIDRs: [10.96.0.0/12], flannel: {version: v0.28.9}}
  defaults:
    windows: {release: 2022}
    labels: {zone: 0123}
    kubelet: {extraArgs: {v: 2, a: b}}
    connection: {ssh: {credential: {prompt: true}}}
  hosts:
  - {name: WIN-01, kubelet: {extraArgs: {v: 4}}, connection: {ssh: {hostKey: "ssh-ed25519 A"}}}
  - {name: win-02, connection: {local: {}}}
"""


def test_every_old_word_has_a_new_one():
    new = rewritten(OLD_TEXT.encode(), name="fleet.yaml")
    (document, client) = load(new.text, name="new")
    spec = document.value["spec"]
    assert spec["kubernetes"] == {"version": "1.30.0"}
    assert spec["network"]["flannel"] == {"version": "0.28.9"}
    assert spec["defaults"]["labels"] == {"zone": "0123"}
    assert spec["hosts"][0] == {
        "name": "win-01",
        "address": "WIN-01",
        "computerName": "WIN-01",
        "sshHostKeys": ["ssh-ed25519 A"],
        "host": {
            "kubelet": {"extraArgs": [{"name": "v", "value": "4"}, {"name": "a", "value": "b"}]}
        },
    }
    assert client.value["fleets"] == [
        {
            "fleetName": "shop",
            "localHost": "win-02",
            "credentials": [{"name": "password", "type": "Password"}],
        }
    ]


def test_comments_before_a_document_are_kept_and_the_others_are_named():
    new = rewritten(OLD_TEXT.encode(), name="fleet.yaml")
    assert new.text.startswith("# shop's machines\napiVersion: transom.dev/v1alpha2\n")
    assert [(each.line, each.text) for each in new.lost] == [(6, "# soon 1.31")]


def test_what_is_v1alpha2_already_stays_as_it_is():
    text = (DATA / "fleets" / "shop.yaml").read_bytes()
    assert rewritten(text, name="shop.yaml") == (text.decode(), False, ())
