"""The laws that hold for every step; a new step in STEPS is held to them by being there."""

import json
import random
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from tests.support.node import newer

from transom.errors import PermanentError
from transom.model.codec import decode, encode
from transom.model.journal import Receipt
from transom.model.request import Verb
from transom.node.engine.journal import Journal
from transom.node.engine.journalled_host import JournallingHost
from transom.node.engine.step import NodeSpec
from transom.node.host.values import PathKind
from transom.node.layout import Layout
from transom.node.steps import STEPS
from transom.testing.faults import Fault, PowerCut

LAYOUT = Layout()
# Pods run these while steps replace them.
SHIM = r"C:\Program Files\containerd\containerd-shim-runhcs-v1.exe"
OLD_PROGRAM = r"C:\Program Files\containerd\ctr.exe"
VERBS = {"adopt": Verb.ADOPT, "upgrade": Verb.UPGRADE}
CHANGING = [step for step in STEPS if step.id != "preflight"]
EVERY = pytest.mark.parametrize("step", STEPS, ids=lambda step: step.id)
EVERY_CHANGING = pytest.mark.parametrize("step", CHANGING, ids=lambda step: step.id)
EVERY_FAULT = pytest.mark.parametrize("fault", list(Fault), ids=lambda fault: fault.value)


class Site:
    """A host on which all steps before one are done, and the journal of that one."""

    made: ClassVar[dict[str, tuple[dict[str, Any], dict[Any, Any], set[str]]]] = {}

    def __init__(self, host, want, step, owner):
        self.host, self.step = host, step
        self._want = want
        if step.id not in self.made:
            self._make_earlier()
            state = (host.disk.durable, host.settings.durable, host.services.alive)
            self.made[step.id] = (dict(state[0]), dict(state[1]), set(state[2]))
        disk, settings, alive = self.made[step.id]
        host.disk.durable, host.disk._seen = dict(disk), dict(disk)
        host.settings.durable, host.settings.seen = dict(settings), dict(settings)
        host.services.be_running(alive)
        for path in (SHIM, OLD_PROGRAM):
            if host.files.kind(path) is PathKind.FILE:
                host.disk.run_image("a pod", path)
        self.journal = Journal.create(host.disk, LAYOUT.journal, owner)
        host.flush()
        host.calls.clear()
        self.first = host.snapshot()

    @property
    def want(self):
        """What the runner would want: whose the node is, the journal says."""
        verb = VERBS.get(self.step.id, Verb.JOIN)
        ours = verb is not Verb.ADOPT or self.journal.contents.is_node
        recipe = newer(self._want.recipe) if verb is Verb.UPGRADE else self._want.recipe
        return replace(self._want, verb=verb, recipe=recipe, joined_by_us=ours)

    def _make_earlier(self):
        self.host.files.make_directory(LAYOUT.state)
        self._make(STEPS if self.step.id in VERBS else STEPS[: STEPS.index(self.step)], self._want)
        if self.step.id == "upgrade":
            self._make(STEPS[: STEPS.index(self.step)], self.want)
        if self.step.id == "kubelet-arguments":
            found = self.host.services.get("kubelet")
            self.host.services.put("kubelet", replace(found, command="kubelet.exe of another"))
        self.host.flush()

    def _make(self, steps, want):
        for step in steps:
            step.apply(self.host, step.check(self.host, want))

    def check(self):
        """Ask the step what differs."""
        return self.step.check(self.host, self.want)

    def apply(self, drift=None):
        """Let the step change the host through the journal."""
        drift = self.check() if drift is None else drift
        journalling = JournallingHost(
            self.host, self.journal, step=self.step.id, saved=LAYOUT.saved
        )
        self.step.apply(journalling, drift)

    def boot(self, seed):
        """Lose what was not flushed, and read the journal again."""
        self.host.power_cycle(random.Random(seed))
        self.journal = opened(self.host)

    def undo(self):
        """Let the step put back what its receipt names."""
        receipt = Receipt(self.step.id, self.journal.contents.intents)
        self.step.undo(self.host, receipt)


def opened(host):
    """The journal as it is on the disk."""
    journal = Journal.open(host.disk, LAYOUT.journal)
    assert journal is not None
    return journal


@pytest.fixture
def site(make_host, recipe, secrets, owner):
    named = replace(recipe, identity=replace(recipe.identity, rename=True))
    want = NodeSpec(recipe=named, join=secrets, joined_by_us=True)
    return lambda step: Site(make_host(), want, step, owner)


@EVERY
def test_check_writes_nothing(site, step):
    place = site(step)
    place.check()
    assert place.host.calls.writes == []
    assert place.host.snapshot() == place.first


@EVERY_CHANGING
def test_the_host_gives_every_changing_step_something_to_do(site, step):
    assert site(step).check()


@EVERY
def test_nothing_is_left_to_do_after_apply(site, step):
    place = site(step)
    place.apply()
    assert list(place.check()) == []


@EVERY
def test_apply_of_no_drift_writes_nothing(site, step):
    place = site(step)
    place.apply(())
    assert place.host.calls.writes == []


@EVERY
def test_undo_restores_the_host(site, step):
    place = site(step)
    place.apply()
    place.undo()
    assert place.host.snapshot() == place.first


@EVERY_CHANGING
def test_a_receipt_survives_json_and_the_journal(site, step):
    place = site(step)
    place.apply()
    receipt = Receipt(step.id, place.journal.contents.intents)
    assert decode(Receipt, json.loads(json.dumps(encode(receipt)))) == receipt
    assert opened(place.host).contents.intents == receipt.intents


@EVERY_CHANGING
def test_no_change_is_made_before_its_intent_is_durable(site, step):
    """What a cut leaves of the journal is enough to undo what it leaves of the change."""
    place = site(step)
    place.apply()
    place.host.calls.clear()
    place.boot(seed=0)
    place.undo()
    assert place.host.snapshot() == place.first


@EVERY_FAULT
@EVERY
def test_a_fault_at_any_call_is_completed_and_undone(site, step, fault):
    for at in calls_of(site(step), lambda place: place.apply()):
        place = site(step)
        suffer(place, lambda place: place.apply(), fault, at)
        place.apply()
        assert list(place.check()) == [], f"{fault} at call {at}"
        place.undo()
        assert place.host.snapshot() == place.first, f"{fault} at call {at}"


@EVERY_FAULT
@EVERY_CHANGING
def test_an_undo_cut_short_is_simply_done_again(site, step, fault):
    def prepared():
        place = site(step)
        place.apply()
        place.host.flush()
        return place

    for at in calls_of(prepared(), lambda place: place.undo()):
        place = prepared()
        suffer(place, lambda place: place.undo(), fault, at)
        place.undo()
        assert place.host.snapshot() == place.first, f"{fault} at call {at}"


def calls_of(place, act):
    """The numbers of the host calls that an act makes."""
    place.host.calls.clear()
    act(place)
    return range(1, place.host.calls.count + 1)


def suffer(place, act, fault, at):
    """Do the act with a fault at one of its calls, and boot again after a power cut."""
    place.host.calls.inject(fault, at=at)
    try:
        act(place)
    except PermanentError:
        place.host.calls.clear()
        place.journal = opened(place.host)
    except PowerCut:
        place.boot(seed=at)
    place.host.calls.clear()
