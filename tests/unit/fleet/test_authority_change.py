"""A cluster that changes its authority keeps its hosts as long as it shows both; the new one alone is refused."""

import asyncio
import base64
import json
from datetime import UTC, datetime, timedelta

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from tests.simulation import Simulation, config_maps
from tests.support.fleet_apply import Watcher, apply, outcomes

from transom.errors import UnsupportedError
from transom.fleet.planning.plan import Standing
from transom.fleet.reset import reset_fleet
from transom.fleet.survey import survey_fleet
from transom.fleet.work.outcome import Outcome
from transom.kube.authority import authority_pins
from transom.model.request import Verb
from transom.node.engine.journal import Journal
from transom.node.layout import Layout


def authority(year):
    """The certificate of an authority that is valid from then on."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "kubernetes")])
    begun = datetime(year, 1, 1, tzinfo=UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(year)
        .not_valid_before(begun)
        .not_valid_after(begun + timedelta(days=3650))
        .sign(key, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.PEM)


OLD, NEW = authority(2020), authority(2026)
(OLD_PIN,), (NEW_PIN,) = authority_pins(OLD), authority_pins(NEW)
BOTH = {"new first": NEW + OLD, "old first": OLD + NEW}


def show(api, pem):
    """Have these authorities in cluster-info."""
    server = {
        "server": "https://10.0.0.1:6443",
        "certificate-authority-data": base64.b64encode(pem).decode(),
    }
    info = {"kubeconfig": yaml.safe_dump({"clusters": [{"cluster": server}]})}
    api.config_maps = {**config_maps(), ("kube-public", "cluster-info"): info}


def owner(machine):
    journal = Journal.look(machine.host.disk, Layout().journal)
    assert journal is not None
    return journal.owner


@pytest.fixture
def joined():
    """Two hosts that joined when the old authority was the only one."""
    simulation = Simulation(2)
    show(simulation.api, OLD)
    apply(simulation)
    assert {owner(machine).cluster for machine in simulation.machines.values()} == {OLD_PIN}
    return simulation


@pytest.fixture
def single(world):
    """One host that joined without a fleet, then."""
    show(world.api, OLD)
    world.join()
    return world


def plans(simulation, verb=Verb.JOIN):
    doors = simulation.doors()
    return asyncio.run(survey_fleet(simulation.fleet, simulation.lock, doors, verb=verb)).plan.hosts


@pytest.mark.parametrize("pem", BOTH.values(), ids=BOTH.keys())
def test_while_both_are_there_hosts_are_claimed_for_the_new_one_once(joined, pem):
    show(joined.api, pem)
    for host in plans(joined):
        (step,) = host.steps
        (change,) = step.drift
        assert (host.standing, host.drains) == (Standing.CHANGES, False)
        assert (step.step, change.found, change.wanted) == ("journal", OLD_PIN, NEW_PIN)
    _, watcher = apply(joined)
    assert set(outcomes(watcher).values()) == {Outcome.CHANGED}
    assert {owner(machine).cluster for machine in joined.machines.values()} == {NEW_PIN}
    assert [host.standing for host in plans(joined)] == [Standing.UNCHANGED] * 2
    show(joined.api, NEW)
    assert [host.standing for host in plans(joined)] == [Standing.UNCHANGED] * 2


@pytest.mark.parametrize("verb", [Verb.JOIN, Verb.UPGRADE, Verb.ADOPT])
def test_both_are_matched_whatever_a_plan_is_for_and_nobody_is_drained(joined, verb):
    show(joined.api, BOTH["old first"])
    assert all(not host.refusals and not host.drains for host in plans(joined, verb))


def test_the_new_one_alone_is_refused_and_the_way_over_is_told(joined):
    show(joined.api, NEW)
    for host in plans(joined):
        (refusal,) = host.refusals
        assert refusal.id == "another-owner"
        assert "does not rotate authorities yet" in refusal.reason
        assert "cluster-info" in refusal.fix
    _, watcher = apply(joined)
    assert set(outcomes(watcher).values()) == {Outcome.REFUSED}


def test_a_host_of_another_fleet_is_refused_with_both_authorities_there_too(joined):
    machine = joined.machines["win-01"].host
    machine.files.remove(Layout().journal)
    mine = owner(joined.machines["win-02"])
    Journal.create(
        machine.disk, Layout().journal, mine.__class__(cluster=OLD_PIN, fleet="other", who="cli")
    )
    show(joined.api, BOTH["old first"])
    assert [host.standing for host in plans(joined)] == [Standing.REFUSED, Standing.CHANGES]


@pytest.mark.parametrize(
    ("pem", "outcome"),
    [(BOTH["new first"], Outcome.RESET), (NEW, Outcome.FAILED)],
    ids=["both", "the new one alone"],
)
def test_a_reset_of_a_fleet_needs_one_that_the_journal_knows(joined, pem, outcome):
    show(joined.api, pem)
    watcher = Watcher()
    names = tuple(joined.machines)
    asyncio.run(reset_fleet(joined.fleet, names, joined.doors(), watcher=watcher))
    assert set(outcomes(watcher).values()) == {outcome}
    if outcome is Outcome.FAILED:
        error = watcher.ended["win-01"].error
        assert error is not None
        assert "does not rotate authorities yet" in error.message


@pytest.mark.parametrize("way", ["join", "upgrade", "adopt"])
def test_one_host_without_a_fleet_is_claimed_for_the_new_one_by_every_way_in(single, way):
    show(single.api, BOTH["old first"])
    getattr(single, way)()
    assert owner(single).cluster == NEW_PIN


def test_one_host_is_reset_with_both_and_refused_with_the_new_one_alone(single):
    show(single.api, NEW)
    with pytest.raises(UnsupportedError, match="does not rotate authorities yet"):
        single.reset()
    show(single.api, BOTH["new first"])
    assert single.reset().was_there
    assert json.dumps(sorted(map(str, single.tree()))).count("journal") == 0
