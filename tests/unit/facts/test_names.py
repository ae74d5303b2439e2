"""Computer names: the providers' rules to the letter, collisions, and names that agree."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transom.facts.names import (
    MachineName,
    cloudbase_name,
    collisions,
    disagreements,
    named,
    pool_problems,
    shortened,
    without_collisions,
)

NAMES = st.from_regex(r"[a-z]([a-z0-9-]{0,40}[a-z0-9])?", fullmatch=True)


@pytest.mark.parametrize(
    ("rule", "concerns", "name", "cluster", "expected"),
    [
        ("capz", "machine", "short-name-15ch", "", "short-name-15ch"),
        ("capz", "machine", "quick-start-md-win-abcde", "", "quick-sta-abcde"),
        ("capz", "machine", "eightchr-md-win-abcde", "", "eightchr-abcde"),
        ("seed", "machine", "quick-start-md-win-abcde", "production-east", "productio-abcde"),
        ("seed", "machine", "web-0", "production-east", "web-0"),
        ("capz", "pool", "prod-blue-mp-win", "", "win-p-win"),
        ("capz", "pool", "mp-win", "", "mp-win"),
        ("seed", "pool", "prod-green-mp-win", "a", "win-p-win"),
        ("none", "machine", "quick-start-md-win-abcde", "", "quick-start-md-win-abcde"),
    ],
)
def test_a_rule_shortens_as_its_code_does(rule, concerns, name, cluster, expected):
    assert shortened(MachineName(name, cluster), rule=rule, concerns=concerns) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("win-01", "win-01"),
        ("win-01.corp.example", "win-01"),
        ("quick-start-md-win-7d4f9-abcde", "quick-start-md0"),
        ("quick-start-md-win-7d4f9-fghij", "quick-start-md0"),
    ],
)
def test_cloudbase_init_cuts_names(name, expected):
    assert cloudbase_name(name) == expected


def test_the_default_pools_of_two_clusters_collide():
    pools = [MachineName(f"prod-{c}-mp-win", f"prod-{c}") for c in ("blue", "green")]
    (clash,) = collisions(named(pool, rule="capz", concerns="pool") for pool in pools)
    assert clash.computer == "win-p-win"
    assert clash.machines == ("prod-blue/prod-blue-mp-win", "prod-green/prod-green-mp-win")
    assert collisions(without_collisions(pools, concerns="pool")) == []


def test_names_that_only_differ_in_case_collide():
    machines = [MachineName("win-01"), MachineName("WIN-01")]
    assert len(collisions(named(machine, rule="none") for machine in machines)) == 1


@given(st.lists(NAMES, unique=True, max_size=20), st.sampled_from(["machine", "pool"]))
def test_hashed_names_are_valid_and_never_collide(names, concerns):
    found = without_collisions([MachineName(name, "c") for name in names], concerns=concerns)
    assert collisions(found) == []
    longest = 9 if concerns == "pool" else 15
    for name in found:
        assert len(name.computer) <= longest
        assert re.fullmatch(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?", name.computer)
        assert name.platform == name.computer
    again = without_collisions([MachineName(name, "c") for name in names], concerns=concerns)
    assert again == found


@given(NAMES, NAMES)
def test_what_capz_names_is_the_computer_s_name(name, cluster):
    """Its rule exists so that Windows need not cut: metadata, computer and node are one name."""
    found = named(MachineName(name, cluster), rule="capz")
    assert len(found.computer) <= 15
    assert found.platform == found.computer
    assert not [problem for problem in found.problems if "metadata" in problem]


def test_every_disagreement_is_told():
    found = disagreements(
        metadata="quick-start-md-win-abcde",
        computer="quick-start-md0",
        node="quick-start-md-win-abcde",
        certificate="system:node:other",
    )
    assert len(found) == 3
    assert disagreements(
        metadata="win-01.corp", computer="WIN-01", node="win-01", certificate="system:node:win-01"
    ) == []  # fmt: skip


@pytest.mark.parametrize("name", ["12345", "-a", "a_b", ""])
def test_what_windows_cannot_be_called_is_told(name):
    assert disagreements(metadata=name, computer=name, node=name)


@pytest.mark.parametrize(
    ("name", "platform", "count"),
    [("winnp1", "aks", 0), ("winpool1", "aks", 1), ("windows", "aks", 2), ("Win1", "aks", 1),
     ("win-p-win", "scale-set", 0), ("win-pool-1", "scale-set", 1)],
)  # fmt: skip
def test_a_platform_s_limits_of_pools(name, platform, count):
    assert len(pool_problems(name, platform=platform)) == count
