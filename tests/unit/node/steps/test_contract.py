"""What all steps declare in one place each: their names, what they do to a node, what they refuse."""

import re
from pathlib import Path

import pytest

from transom.model.step_id import StepId
from transom.node.engine.disruption import STEPS as DISRUPTIONS
from transom.node.steps import STEPS
from transom.node.steps.preflight import CHECKS

SOURCES = Path(__file__).parents[4] / "src" / "transom" / "node"


def test_every_step_has_its_name_in_the_order_of_the_names():
    assert [step.id for step in STEPS] == list(StepId)


@pytest.mark.parametrize("step", StepId)
def test_what_a_step_does_to_a_node_is_in_the_table_with_a_source(step):
    assert DISRUPTIONS[step].source


def test_a_step_has_no_disruption_of_its_own():
    for step in STEPS:
        assert step.disruption is DISRUPTIONS[step.id].disruption


def test_every_refusal_of_the_preflight_belongs_to_one_check():
    listed = [name for check in CHECKS for name in check.ids]
    text = "".join(
        (SOURCES / name).read_text() for name in ("steps/preflight.py", "host/access.py")
    )
    assert len(set(listed)) == len(listed)
    assert set(listed) == set(re.findall(r'\bid="([a-z-]+)"', text))
