"""Power cuts at random moments of every verb: the same command, given again, goes on to its end.

A turn takes a host from bare to prepared, joined, upgraded and bare again, with a cut in each verb; a
cut is a seed. `make soak` has fifty of them. A cut is at a moment, or at the n-th write of the node
program or of kubeadm.exe, with or without what they had not flushed. What the registry had not
written yet is always lost.
"""

import contextlib
import logging
import os
import random
from dataclasses import dataclass

import asyncssh
import pytest
from tests.support.lab_node import changed, differences
from tests.support.lab_upgrade import OLD, Site

from transom.model.request import Verb
from transom_lab.faults import Faults
from transom_lab.lab import Wish

LOG = logging.getLogger(__name__)
pytestmark = pytest.mark.timeout(900, func_only=True)
VERBS = (Verb.PREPARE, Verb.JOIN, Verb.UPGRADE, Verb.RESET)
TURNS = -(-int(os.environ.get("TRANSOM_SOAK_SEEDS", "4")) // len(VERBS))
FIRST = int(os.environ.get("TRANSOM_SOAK_FIRST", "0"))
# How long a quiet run takes here, and how often the node program and kubeadm.exe write in it.
LENGTHS_S = {Verb.PREPARE: 4.0, Verb.JOIN: 3.0, Verb.UPGRADE: 9.0, Verb.RESET: 2.5}
WRITES = {Verb.PREPARE: 280, Verb.JOIN: 75, Verb.UPGRADE: 450, Verb.RESET: 100}
KUBEADM = {
    Verb.JOIN: ("kubeadm.exe", 12),
    Verb.UPGRADE: ("kubeadm-new.exe", 8),
    Verb.RESET: ("kubeadm.exe", 8),
}


@dataclass(frozen=True)
class Cut:
    """When the power goes: so long after the run's first event, or at a write of a program."""

    after_s: float = 0
    program: str = ""
    write: int = 0
    loses: bool = False


def cut_for(seed, verb):
    chance = random.Random(seed)
    programs = [("python.exe", WRITES[verb]), *([KUBEADM[verb]] if verb in KUBEADM else [])]
    if chance.random() < 0.4:
        return Cut(after_s=chance.uniform(0, LENGTHS_S[verb]))
    program, writes = chance.choice(programs)
    return Cut(program=program, write=chance.randint(1, writes), loses=chance.random() < 0.5)


class Bare:
    """A host without anything of Kubernetes, whose feature is on; made anew after a failed turn."""

    def __init__(self, lab):
        self.lab, self.site, self.first = lab, None, {}

    def __enter__(self):
        if self.site is None:
            self.lab.down()
            self.lab.up(Wish(hosts=1, bare=True))
            self.site = Site(self.lab)
            self.site.done(Verb.PREPARE, self.site.old)
            self.site.done(Verb.RESET, self.site.old)
            self.first = self.site.snapshot()
        return self.site, self.first

    def __exit__(self, kind, *_):
        if kind is not None:
            self.site = None


@pytest.fixture(scope="module")
def bare(lone_lab):
    lab = lone_lab("power-cuts")
    try:
        yield Bare(lab)
    finally:
        lab.down()


@pytest.mark.parametrize("turn", range(FIRST, FIRST + TURNS))
def test_a_host_that_lost_power_in_any_verb_is_brought_on_by_the_next(bare, turn):
    with bare as (site, first):
        for number, verb in enumerate(VERBS):
            seed = turn * len(VERBS) + number
            cut = cut_for(seed, verb)
            LOG.warning("seed %d: %s, %s", seed, verb.value, cut)
            site.recipe = site.new if verb in (Verb.UPGRADE, Verb.RESET) else site.old
            suffer(site, verb, cut)
            answer = site.run(verb)
            assert answer.code == 0, (seed, answer.lines)
            check(site, verb, first)


def suffer(site, verb, cut):
    """Begin a run and switch the host off in it, or right after it where it was quicker; boot again."""
    faults = Faults(site.lab)
    if cut.program:
        order = {"program": cut.program, "write": cut.write, "lose_unflushed": cut.loses}
        faults.cut_power_at_write(site.name, **order)
        with contextlib.suppress(asyncssh.Error, OSError, ValueError):
            site.run(verb)
        missed = faults.cancel_power_cut(site.name)
        LOG.warning("the run ended before that write" if missed else "cut in time")
    else:
        site.start_and_lose(verb, after_s=cut.after_s)
    faults.cut_power(site.name)
    faults.restore_power(site.name)


def check(site, verb, first):
    """The host is what the verb promises, and there is nothing left to do."""
    if verb is Verb.RESET:
        site.forget_node()
        assert differences(first, site.snapshot()) == {}
        return
    assert changed(site.run(verb)) == []
    if verb is not Verb.PREPARE:
        assert site.version == (OLD if verb is Verb.JOIN else site.lab.record.kubernetes)
