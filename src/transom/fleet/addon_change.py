"""What would happen to the objects of add-ons: values that plans are made of and that are printed."""

from enum import StrEnum

from transom.model.manifest import Manifest, ObjectName
from transom.model.problem import Refusal
from transom.model.records import dataclass


class Act(StrEnum):
    """What happens to an object."""

    CREATE = "create"
    CHANGE = "change"
    DELETE = "delete"
    KEEP = "keep"


@dataclass(frozen=True, slots=True)
class Change:
    """An object and what happens to it; `fields` are the paths that differ, with both values."""

    name: ObjectName
    act: Act
    fields: tuple[tuple[str, str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AddonPlan:
    """What would be created or changed, or why nothing can; `remedy` is what a person can do."""

    manifests: tuple[Manifest, ...] = ()
    changes: tuple[Change, ...] = ()
    refusals: tuple[Refusal, ...] = ()
    remedy: str = ""
