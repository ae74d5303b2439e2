"""A taint, as fleets wish for one and nodes register with one."""

from enum import StrEnum

from transom.model.records import dataclass


class TaintEffect(StrEnum):
    """What a taint does to pods that do not tolerate it."""

    NO_SCHEDULE = "NoSchedule"
    PREFER_NO_SCHEDULE = "PreferNoSchedule"
    NO_EXECUTE = "NoExecute"


@dataclass(frozen=True, slots=True)
class Taint:
    """A taint the node registers with."""

    key: str
    effect: TaintEffect
    value: str = ""
