"""What a fleet says after the join and no node has is told as not applied, until it is there."""

import asyncio
import json
from dataclasses import replace

import pytest
from tests.simulation import KUBELET_CONFIGURATION, Simulation, fleet_text, lock_of
from tests.support.fleet_apply import Watcher, apply
from tests.support.node import FLAGS_FILE

from transom.errors import PermanentError
from transom.fleet.apply import Applying, apply_plan
from transom.fleet.planning.plan import Standing
from transom.fleet.status import fleet_status
from transom.fleet.survey import survey_fleet
from transom.fleet.work.cordon import Holder
from transom.fleet.work.outcome import Outcome
from transom.model.fleet import KubernetesSpec
from transom.model.request import Verb
from transom.spec.fleet import read_fleets


@pytest.fixture
def joined():
    simulation = Simulation(1)
    apply(simulation)
    return simulation


def say(simulation, **defaults):
    """Have the fleet say something else for every host."""
    written = "".join(f"    {key}: {json.dumps(value)}\n" for key, value in defaults.items())
    text = fleet_text(1)
    if "taints" in defaults:
        text = text.replace("    taints: [{key: os, value: windows, effect: NoSchedule}]\n", "")
    text = text.replace("  defaults:\n", f"  defaults:\n{written}")
    (simulation.fleet,) = read_fleets(text.encode(), name="fleet.yaml")


def lacks(simulation):
    plan = asyncio.run(survey_fleet(simulation.fleet, simulation.lock, simulation.doors())).plan
    (host,) = plan.hosts
    return [(item.subject, item.found, item.wanted) for item in host.not_applied]


def test_a_node_as_its_fleet_says_lacks_nothing(joined):
    assert lacks(joined) == []
    _, watcher = apply(joined)
    assert watcher.ended["win-01"].not_applied == ()


CHANGES = {
    "kubelet.config": (
        {"kubelet": {"config": {"maxPods": 50}}},
        ("kubelet.config.maxPods", "absent", "50"),
    ),
    "kubelet.extraArgs": (
        {"kubelet": {"extraArgs": {"v": "4"}}},
        ("kubelet.extraArgs.v", "absent", "4"),
    ),
    "labels": ({"labels": {"tier": "web"}}, ("labels.tier", "absent", "web")),
    "a label of the API": (
        {"labels": {"node-role.kubernetes.io/web": ""}},
        ("labels.node-role.kubernetes.io/web", "absent", ""),
    ),
    "taints": (
        {"taints": [{"key": "os", "value": "windows", "effect": "NoExecute"}]},
        ("taints.os", "os=windows:NoSchedule", "os=windows:NoExecute"),
    ),
}


@pytest.mark.parametrize(("defaults", "lacking"), CHANGES.values(), ids=CHANGES.keys())
def test_a_key_that_changes_after_the_join_is_told_before_and_after_an_apply(
    joined, defaults, lacking
):
    say(joined, **defaults)
    assert lacks(joined) == [lacking]
    for _ in range(2):
        _, watcher = apply(joined)
        ended = watcher.ended["win-01"]
        assert ended.error is None
        if lacking[0].startswith("labels.node-role") and ended.outcome is Outcome.CHANGED:
            continue  # a run gives these itself
        assert [(item.subject, item.found, item.wanted) for item in ended.not_applied] == [lacking]
        assert all(item.fix for item in ended.not_applied)


def test_a_setting_that_arrived_is_told_no_more(joined):
    say(
        joined,
        kubelet={"config": {"maxPods": 50, "evictionHard": {"memory.available": "1Gi"}}},
        labels={"tier": "web"},
    )
    assert [item[0] for item in lacks(joined)] == [
        "kubelet.config.evictionHard",
        "kubelet.config.maxPods",
        "labels.tier",
    ]
    files = joined.machines["win-01"].host.files
    config = json.loads(files.read(KUBELET_CONFIGURATION))
    kept = dict(config.get("evictionHard") or {})
    config |= {"maxPods": 50, "evictionHard": {**kept, "memory.available": "1Gi", "more": "1"}}
    files.write(KUBELET_CONFIGURATION, (json.dumps(config) + "\n").encode())
    asyncio.run(joined.api.label_node("win-01", {"tier": "web"}))
    assert lacks(joined) == []


def test_an_argument_in_the_flags_file_has_arrived(joined):
    say(joined, kubelet={"extraArgs": {"v": "4"}})
    files = joined.machines["win-01"].host.files
    text = files.read(FLAGS_FILE).decode()
    files.write(FLAGS_FILE, text.replace('="', '="--v=4 ', 1).encode())
    assert lacks(joined) == []


def test_what_an_upgrade_brings_is_told_before_it_and_not_after(joined):
    say(joined, kubelet={"config": {"maxPods": 50}})
    newer = replace(joined.fleet, kubernetes=KubernetesSpec("1.37.2"))
    joined.api.server_version = "1.37.2"
    lock = lock_of([newer], [joined.machines["win-01"].host])

    async def story(watcher):
        doors = joined.doors()
        surveyed = await survey_fleet(newer, lock, doors, verb=Verb.UPGRADE)
        holder = Holder.of("ann", "upgrade", doors.now())
        work = Applying(surveyed=surveyed, doors=doors, watcher=watcher, holder=holder)
        await apply_plan(work)
        return surveyed.plan.hosts[0]

    watcher = Watcher()
    planned = asyncio.run(story(watcher))
    assert [item.subject for item in planned.not_applied] == ["kubelet.config.maxPods"]
    assert watcher.ended["win-01"].error is None
    assert watcher.ended["win-01"].not_applied == ()


def test_a_configuration_that_cannot_be_read_is_told_and_ends_nothing(joined):
    joined.machines["win-01"].host.files.write(KUBELET_CONFIGURATION, b"kind: [\n")
    ((subject, _, _),) = lacks(joined)
    assert subject == KUBELET_CONFIGURATION


def test_an_adoption_takes_a_node_as_it_is(joined):
    say(joined, kubelet={"config": {"maxPods": 50}}, labels={"tier": "web"})
    doors = joined.doors()
    surveyed = asyncio.run(survey_fleet(joined.fleet, joined.lock, doors, verb=Verb.ADOPT))
    assert surveyed.plan.hosts[0].not_applied == ()


def test_nodes_that_cannot_be_listed_are_told_as_not_looked_at(joined, monkeypatch):
    async def nodes():
        raise PermanentError("cannot list Nodes: forbidden")

    monkeypatch.setattr(joined.api, "nodes", nodes)
    plan = asyncio.run(survey_fleet(joined.fleet, joined.lock, joined.doors())).plan
    assert plan.unread == ("labels and taints: cannot list Nodes: forbidden",)
    assert plan.hosts[0].standing is Standing.UNCHANGED


def test_status_counts_it_as_drift(joined):
    say(joined, labels={"tier": "web"})

    async def status():
        doors = joined.doors()
        return await fleet_status(await survey_fleet(joined.fleet, joined.lock, doors), doors)

    found = asyncio.run(status())
    assert ([host.drift for host in found.hosts], found.is_well) == ([1], False)
