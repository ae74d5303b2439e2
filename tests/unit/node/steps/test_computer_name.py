"""The computer's name: changed only where the fleet allows it, and never on a member of a domain."""

from dataclasses import replace

import pytest

from transom.errors import Refused
from transom.model.request import Verb
from transom.node.engine.runner import Ending, Runner
from transom.node.host.values import RegistryData
from transom.node.layout import Layout
from transom.node.steps.computer_name import VALUES


@pytest.fixture
def machine(make_host):
    """A machine of another name."""
    host = make_host()
    host.system.name = "WIN-8FQ3"
    for key, value in VALUES:
        host.registry.make_key(key)
        host.registry.put(key, value, RegistryData("string", "WIN-8FQ3"))
    host.flush()
    return host


@pytest.fixture
def renaming(recipe):
    return replace(recipe, identity=replace(recipe.identity, rename=True))


def names(host):
    return [host.registry.get(key, value).value for key, value in VALUES]


def boot(host):
    """Windows takes the name and the features that waited."""
    host.system.name = names(host)[0]
    host.features.reboot()


def test_without_leave_another_name_is_refused_and_stays(machine, request_for):
    with pytest.raises(Refused) as caught:
        Runner(machine, Layout(), "r").execute(request_for(Verb.PREPARE))
    assert [item.id for item in caught.value.refusals] == ["computer-name-differs"]
    assert "computerNamePolicy: Rename" in caught.value.refusals[0].fix
    assert names(machine) == ["WIN-8FQ3", "WIN-8FQ3"]


def test_with_leave_it_is_renamed_and_one_reboot_does_for_name_and_features(
    machine, request_for, renaming
):
    machine.features.need_reboot.add("Containers")
    request = request_for(Verb.JOIN, recipe=renaming)
    first = Runner(machine, Layout(), "r1").execute(request)
    assert first.ending is Ending.REBOOT
    assert first.changed == ("computer-name", "features")
    assert names(machine) == ["win-01", "win-01"]
    assert Runner(machine, Layout(), "r2").execute(request).ending is Ending.REBOOT
    boot(machine)
    assert Runner(machine, Layout(), "r3").execute(request).ending is Ending.DONE


def test_a_member_of_a_domain_is_never_renamed(machine, request_for, renaming):
    machine.system.member_of = "corp.example"
    before = machine.snapshot()
    with pytest.raises(Refused) as caught:
        Runner(machine, Layout(), "r").execute(request_for(Verb.PREPARE, recipe=renaming))
    (refusal,) = caught.value.refusals
    assert refusal.id == "domain-member"
    assert "corp.example" in refusal.found
    assert machine.snapshot() == before


def test_a_member_of_a_domain_that_has_the_name_is_prepared(machine, request_for, renaming):
    machine.system.member_of = "corp.example"
    machine.system.name = "WIN-01"
    for key, value in VALUES:
        machine.registry.put(key, value, RegistryData("string", "WIN-01"))
    done = Runner(machine, Layout(), "r").execute(request_for(Verb.PREPARE, recipe=renaming))
    assert "computer-name" not in done.changed


def test_a_node_is_not_renamed_under_its_own_feet(make_host, request_for, renaming):
    host = make_host()
    Runner(host, Layout(), "r1").execute(request_for(Verb.JOIN))
    host.system.name = "other"
    with pytest.raises(Refused) as caught:
        Runner(host, Layout(), "r2").execute(request_for(Verb.JOIN, recipe=renaming))
    assert [item.id for item in caught.value.refusals] == ["computer-name-differs"]


def test_a_reset_writes_the_old_name_back_where_features_go_too(machine, request_for, renaming):
    Runner(machine, Layout(), "r1").execute(request_for(Verb.PREPARE, recipe=renaming))
    reset = request_for(Verb.RESET, recipe=renaming, remove_features=True)
    Runner(machine, Layout(), "r2").execute(reset)
    assert names(machine) == ["WIN-8FQ3", "WIN-8FQ3"]
