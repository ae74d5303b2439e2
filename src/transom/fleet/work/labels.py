"""The labels by which Transom knows a Node again.

They are given and taken through the API: a Node that exists already gets them without its host being
touched.
"""

from collections.abc import Mapping

from transom.kube.api import Node
from transom.model.journal import SINGLE_HOST
from transom.model.recipe import PREPARED

# Which fleet the Node belongs to: its name. Others' Nodes are nobody's business here.
FLEET = "transom.dev/fleet"
# Its host is being reset: whatever became of that, the Node is to be deleted.
RESETTING = "transom.dev/resetting"
# The day of its last maintenance.
MAINTAINED = "transom.dev/maintained"


def missing_fleet_label(node: Node, fleet: str) -> dict[str, str]:
    """What the Node lacks to be known as one of this fleet; a host without a fleet is of none."""
    return {} if fleet in (node.labels.get(FLEET), SINGLE_HOST) else {FLEET: fleet}


def missing_prepared_label(node: Node) -> dict[str, str]:
    """What the Node lacks to be selected by the add-ons' pods; a value that somebody gave it stays.

    A node that Transom joins registers with it. One that others joined gets it once its host has the
    programs that those pods run.
    """
    return {key: value for key, value in PREPARED.items() if key not in node.labels}


def taken_off(labels: Mapping[str, str]) -> dict[str, str | None]:
    """What takes Transom's labels off a Node with these."""
    ours = (FLEET, RESETTING, MAINTAINED, *PREPARED)
    return dict.fromkeys(key for key in ours if key in labels)
