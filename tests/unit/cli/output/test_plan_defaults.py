"""A plan names what is chosen by default and stands in no lock."""

from tests.unit.recipe.test_defaults import bare, lock_of

from transom.cli.output.plan_text import plan_lines
from transom.documents.fleets import plan_document
from transom.fleet.planning.plan import FleetPlan
from transom.recipe.defaults import defaults_of, locked_fleet


def test_without_a_lock_the_plan_says_which_defaults_would_be_chosen():
    plan = FleetPlan(fleet=bare(), hosts=())
    (note,) = [line for line in plan_lines(plan) if "by default" in line]
    assert "containerd " in note
    assert note.endswith("`transom lock` records them")
    assert plan_document(plan).defaults == defaults_of(bare())


def test_of_a_locked_fleet_nothing_is_left_to_say():
    plan = FleetPlan(fleet=locked_fleet(bare(), lock_of(bare())), hosts=())
    assert not [line for line in plan_lines(plan) if "by default" in line]
    assert plan_document(plan).defaults == ()
