"""Going through waves: never more of a pool away than it allows, whoever took them."""

import asyncio
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.simulation import NOW
from tests.support.cluster import MemoryApi
from tests.support.fleet_waves import fleet_of

from transom.errors import TemporaryError
from transom.fleet.planning.waves import away_of, pools_of
from transom.fleet.rolling import Rolling
from transom.fleet.work.cordon import Holder, cordon, uncordon
from transom.kube.api import Node
from transom.model.fleet import Fleet

HOLDER = Holder(name="ann", verb="apply", run="1")


@dataclass
class Story:
    """A cluster whose nodes are cordoned, looked at and let go; `events` happen before a wave."""

    fleet: Fleet
    keep_going: bool = False
    failing: frozenset[str] = frozenset()
    waves: list[tuple[str, ...]] = field(default_factory=list)
    left: dict[str, str] = field(default_factory=dict)
    waited: list[str] = field(default_factory=list)
    most: dict[str, int] = field(default_factory=dict)
    time_s: float = 0.0
    heals_at: dict[str, float] = field(default_factory=dict)
    breaks_after: dict[str, int] = field(default_factory=dict)

    def __post_init__(self):
        nodes = {host.name: Node(name=host.name, ready=True) for host in self.fleet.hosts}
        self.api = MemoryApi(server_version="1.37.1", held_nodes=nodes)

    def change(self, name, **changes):
        self.api.held_nodes[name] = replace(self.api.held_nodes[name], **changes)

    def monotonic(self):
        return self.time_s

    async def sleep(self, seconds):
        self.time_s += seconds
        for name, when in self.heals_at.items():
            if self.time_s >= when:
                self.change(name, ready=True)

    async def do(self, wave):
        self.waves.append(tuple(wave))
        before = away_of(self.fleet, self.api.held_nodes.values())
        for name in wave:
            await cordon(self.api, name, HOLDER, reason="", now=NOW)
        gone = away_of(self.fleet, self.api.held_nodes.values())
        for pool in pools_of(self.fleet):
            if any(name in wave and name not in before for name in pool.hosts):
                count = sum(name in gone for name in pool.hosts)
                self.most[pool.name] = max(self.most.get(pool.name, 0), count)
        for name in wave:
            if name not in self.failing:
                self.change(name, ready=True)
                await uncordon(self.api, self.api.held_nodes[name], HOLDER)
        for name, number in self.breaks_after.items():
            if len(self.waves) == number:
                self.change(name, ready=False, problem="PLEG is not healthy")
        return self.failing.isdisjoint(wave)

    def leave(self, names, error):
        assert isinstance(error, TemporaryError)
        for name in names:
            assert name not in self.left
            self.left[name] = error.message

    def run(self, hosts):
        rolling = Rolling(
            fleet=self.fleet,
            api=self.api,
            clock=self,
            do=self.do,
            leave=self.leave,
            wait=lambda name, text: self.waited.append(f"{name}: {text}"),
            keep_going=self.keep_going,
        )
        asyncio.run(rolling.through(hosts))
        return self


@settings(max_examples=50, suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(
    pools=st.lists(st.sampled_from(["a", "b", None]), max_size=8),
    chosen=st.sets(st.integers(0, 7)),
    silent=st.sets(st.integers(0, 7), max_size=3),
    cordoned=st.sets(st.integers(0, 7), max_size=3),
    failing=st.sets(st.integers(0, 7), max_size=2),
    breaking=st.dictionaries(st.integers(0, 7), st.integers(1, 4), max_size=3),
    limit=st.integers(1, 3),
    keep_going=st.booleans(),
)
def test_whatever_happens_no_node_is_taken_beyond_the_limit_and_every_host_has_one_end(
    *, pools, chosen, silent, cordoned, failing, breaking, limit, keep_going
):
    fleet = fleet_of(pools, limit)
    names = [host.name for host in fleet.hosts]

    def picked(numbers):
        return {name for number, name in enumerate(names) if number in numbers}

    story = Story(fleet, keep_going=keep_going, failing=frozenset(picked(failing)))
    story.breaks_after = {f"h{n}": wave for n, wave in breaking.items() if f"h{n}" in names}
    for name in picked(silent):
        story.change(name, ready=False)
    for name in picked(cordoned):
        story.change(name, unschedulable=True)
    wanted = picked(chosen)
    story.run(wanted)
    done = [name for wave in story.waves for name in wave]
    assert sorted([*done, *story.left]) == sorted(wanted)
    assert all(count <= limit for count in story.most.values())


def test_a_pool_without_room_is_said_at_once_with_who_is_away_and_the_next_pool_is_not_begun():
    story = Story(fleet_of(["a", "a", "a", "b"], 1))
    story.change("h1", unschedulable=True)
    story.run({"h0", "h2", "h3"})
    assert story.waves == []
    assert set(story.left) == {"h0", "h2", "h3"}
    assert story.left["h0"] == (
        "of pool a at most 1 of 3 nodes may be away at once (rollout.maxUnavailable), "
        "and 1 is: h1 (cordoned by somebody else)"
    )
    assert (story.waited, story.time_s) == ([], 0.0)


def test_who_keeps_going_leaves_only_the_pool_that_has_no_room():
    story = Story(fleet_of(["a", "a", "b"], 1), keep_going=True)
    story.change("h1", ready=False)
    story.run({"h0", "h2"})
    assert story.waves == [("h2",)]
    assert set(story.left) == {"h0"}


def test_a_wave_is_smaller_while_another_node_is_away():
    story = Story(fleet_of(["a"] * 6, 3))
    story.change("h5", ready=False)
    story.breaks_after = {"h4": 2}
    story.run({"h0", "h1", "h2", "h3"})
    assert story.waves == [("h0", "h1"), ("h2", "h3")]


@pytest.mark.parametrize(("after_s", "is_done"), [(100, True), (1000, False)])
def test_a_node_that_goes_away_between_waves_is_waited_for(after_s, is_done):
    story = Story(fleet_of(["a"] * 3, 1))
    story.breaks_after, story.heals_at = {"h2": 1}, {"h2": after_s}
    story.run({"h0", "h1"})
    assert story.waited == [
        "h1: wait at most 300 s until fewer nodes are away: h2 (NotReady: PLEG is not healthy)"
    ]
    assert story.waves == ([("h0",), ("h1",)] if is_done else [("h0",)])
    assert set(story.left) == (set() if is_done else {"h1"})
    assert story.time_s <= 300


def test_a_quiet_roll_takes_no_time_and_waits_for_nobody():
    story = Story(fleet_of(["a"] * 4, 1)).run({"h0", "h1", "h2", "h3"})
    assert story.waves == [("h0",), ("h1",), ("h2",), ("h3",)]
    assert (story.time_s, story.waited) == (0.0, [])


def test_where_nothing_was_begun_a_pool_without_room_costs_no_time():
    story = Story(fleet_of(["a", "a"], 1))
    story.change("h1", unschedulable=True)
    story.run({"h0"})
    assert (story.waves, list(story.left), story.time_s) == ([], ["h0"], 0.0)


def test_between_waves_room_is_waited_for_five_minutes_and_no_longer():
    story = Story(fleet_of(["a"] * 3, 1))
    story.breaks_after = {"h2": 1}
    story.run({"h0", "h1"})
    assert (story.waves, list(story.left), story.time_s) == ([("h0",)], ["h1"], 300.0)
    assert len(story.waited) == 1


def test_without_a_cluster_nobody_is_known_to_be_away():
    story = Story(fleet_of(["a"] * 3, 2))
    waves = []

    async def do(wave):
        waves.append(tuple(wave))
        return True

    rolling = Rolling(
        fleet=story.fleet,
        api=None,
        clock=story,
        do=do,
        leave=story.leave,
        wait=lambda *_: pytest.fail("it waits"),
    )
    asyncio.run(rolling.through({"h0", "h1", "h2"}))
    assert (waves, story.left, story.time_s) == ([("h0", "h1"), ("h2",)], {}, 0.0)


@pytest.mark.parametrize(
    ("calls", "is_done"), [(range(2, 60), True), (range(2, 9999), False)], ids=["heals", "stays"]
)
def test_an_api_server_that_is_away_between_waves_is_waited_for_and_every_host_has_an_end(
    monkeypatch, calls, is_done
):
    story = Story(fleet_of(["a"] * 3, 1))
    nodes, asked = story.api.nodes, [0]

    async def away():
        asked[0] += 1
        if asked[0] in calls:
            raise TemporaryError("cannot reach the API server")
        return await nodes()

    monkeypatch.setattr(story.api, "nodes", away)
    story.run({"h0", "h1", "h2"})
    assert story.waves == ([("h0",), ("h1",), ("h2",)] if is_done else [("h0",)])
    assert story.left == (
        {} if is_done else dict.fromkeys(("h1", "h2"), "cannot reach the API server")
    )
    assert story.time_s <= 300
