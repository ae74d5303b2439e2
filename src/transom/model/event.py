"""One line of a run's event file: what the node program did, for whoever watches it."""

from enum import Enum

from transom.model.api_versions import written
from transom.model.records import dataclass


class State(Enum):
    """How far a step, or the run as a whole (an empty step), has come."""

    STARTED = "started"
    NOTED = "noted"
    UNCHANGED = "unchanged"
    CHANGED = "changed"
    RETRYING = "retrying"
    FAILED = "failed"
    UNDONE = "undone"
    DONE = "done"
    REBOOT = "reboot"
    CANCELLED = "cancelled"


class Level(Enum):
    """Who should look."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """What happened, when, in which run; `seq` counts from one without gaps."""

    api_version: str = written("Event")
    kind: str = "Event"
    time: str
    run: str
    seq: int
    host: str
    step: str
    state: State
    level: Level
    message: str
    done: int
    total: int
    error: str
    hint: str = ""
