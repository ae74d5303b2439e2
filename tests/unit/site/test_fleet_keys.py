"""Every key of the Fleet document says what a change of it does to running nodes; found by trying, never by hand."""

import json

import pytest

from transom.cli.main import main
from transom.site.fleet_keys import changes, fleet_keys
from transom.spec.shape import Object
from transom.spec.shapes.document import FLEET


def at(suffix):
    """What is said of every key that ends so."""
    found = {text for path, text in changes().items() if path.endswith(suffix)}
    assert found, suffix
    return found


@pytest.mark.parametrize(
    ("suffix", "said"),
    [
        ("metadata.name", "Refused once nodes exist"),
        ("podCIDRs", "Refused once nodes exist"),
        ("serviceCIDRs", "Refused once nodes exist"),
        ("flannel.mode", "Refused once nodes exist"),
        ("directories.containerdRoot", "Refused once nodes exist"),
        ("kubernetes.version", "`transom upgrade` goes over in waves"),
        ("containerd.version", "pods stop"),
        ("kubelet.config", "lists it as not applied"),
        ("kubelet.extraArgs[].value", "lists it as not applied"),
        ("windows.release", "must be what the host has"),
        ("host.labels", "lists it as not applied"),
        ("ssh.user", "Nothing on nodes"),
    ],
)
def test_what_a_change_does_is_what_the_steps_do(suffix, said):
    for text in at(suffix):
        assert said in text


def test_nearly_every_key_could_be_tried():
    """What is left has only one value that Windows, the facts or the document accept."""
    leaves = [told for told in fleet_keys() if not told.title.startswith("map of")]
    untried = [told.id for told in leaves if not told.note and "list of map" not in told.title]
    assert len(untried) < len(leaves) / 8, untried


def test_every_key_that_is_told_of_is_a_key():
    known = {told.id for told in fleet_keys()}
    assert {f"fleet.{path}".replace("[]", "") for path in changes()} <= known
    assert isinstance(FLEET, Object)


def test_explain_tells_type_use_and_what_a_change_does(capsys):
    assert main(["explain", "fleet.spec.network.podCIDRs"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("fleet.spec.network.podCIDRs  list of an address range")
    assert "Refused once nodes exist" in " ".join(out.split())


def test_a_key_that_there_is_not_is_answered_with_the_nearest(capsys):
    assert main(["explain", "fleet.spec.network.podCIDR", "-o", "json"]) == 1
    assert "fleet.spec.network.podCIDRs" in json.loads(capsys.readouterr().out)["nearest"]
