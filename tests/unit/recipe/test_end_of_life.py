"""What nobody maintains any more is installed only by a fleet that accepts it; looking needs no leave."""

from dataclasses import replace
from pathlib import Path

import pytest

from transom.errors import Refused
from transom.recipe.end_of_life import refuse_end_of_life
from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets

FLEETS = Path(__file__).parents[2] / "data" / "fleets" / "v1alpha1"


def fleet_of(name):
    (fleet,) = read_fleets((FLEETS / f"{name}.yaml").read_bytes(), name=name)
    return fleet


def test_an_old_version_needs_the_fleets_leave():
    fleet = fleet_of("k120-2019-docker-wins-overlay")
    refuse_end_of_life(fleet, resolve(fleet))
    strict = replace(fleet, allow_end_of_life=False)
    with pytest.raises(Refused) as caught:
        refuse_end_of_life(strict, resolve(strict))
    (reason,) = caught.value.refusals
    assert reason.subject == "win-01"
    assert "docker, wins" in reason.found
    assert "endOfLifePolicy: Allow" in reason.fix


def test_a_maintained_version_needs_none():
    fleet = fleet_of("k137-2022-containerd-flannel-overlay")
    assert not fleet.allow_end_of_life
    refuse_end_of_life(fleet, resolve(fleet))
