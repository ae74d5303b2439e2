"""A check of a Windows node: what it shows, where it applies, what it creates and how it is judged.

A check is a value, one file each below `checks`. It never waits and never cleans up: `running.engine`
creates its objects in a namespace of their own, turns `prove` until it comes to its end or its patience is
over, and deletes the namespace. What a check cannot prove is not run; it is never green by default.
"""

from collections.abc import Awaitable, Callable
from enum import StrEnum
from typing import TYPE_CHECKING

from transom.errors import PermanentError
from transom.model.manifest import Manifest
from transom.model.records import dataclass

if TYPE_CHECKING:
    from transom.verify.running.attempt import Attempt
    from transom.verify.running.case import Case


class Suite(StrEnum):
    """What a check is about."""

    READINESS = "readiness"
    NETWORK = "network"
    STORAGE = "storage"
    WORKLOAD = "workload"
    SCALE = "scale"


class CheckOutcome(StrEnum):
    """How a check ended: `error` is trouble with the cluster's API, which says nothing of the node."""

    PASSED = "passed"
    FAILED = "failed"
    NOT_RUN = "not-run"
    ERROR = "error"


class Fault(PermanentError):  # noqa: N818 - named for what it is
    """What a check found wrong; it is looked at again until the check's patience is over."""


class Certain(Fault):
    """What a check found wrong and another look will not change."""


class NotProven(PermanentError):  # noqa: N818 - named for what it is
    """A check's precondition is not there: the check is not run."""


def _nothing(_case: "Case") -> tuple[Manifest, ...]:
    return ()


async def _no_undo(_attempt: "Attempt") -> None:
    """Everything is in the namespace."""


Need = Callable[["Case"], str]
"""Says why a check cannot be run there; empty where it can."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One check.

    `objects` are created in order, in the check's namespace; its pods must be Ready before `prove`, unless
    `awaits_pods` is off. `prove` raises Fault, Certain or NotProven; it is turned for `patience_s`. `gates` are
    feature gates that the cluster's version must have on. `undo` takes back what is outside of the namespace.
    `lab` is empty where the check passes in the lab, else why it cannot; `lab_fault` is empty where it is also
    shown to fail there, else why not.
    """

    name: str
    suite: Suite
    what: str
    why: str
    prove: Callable[["Attempt"], Awaitable[None]]
    objects: Callable[["Case"], tuple[Manifest, ...]] = _nothing
    needs: tuple[Need, ...] = ()
    gates: tuple[str, ...] = ()
    awaits_pods: bool = True
    pods_deadline_s: float = 300.0
    patience_s: float = 10.0
    is_disruptive: bool = False
    undo: Callable[["Attempt"], Awaitable[None]] = _no_undo
    lab: str = ""
    lab_fault: str = ""

    def why_not(self, case: "Case") -> str:
        """Why it cannot be run there; empty where it can."""
        reasons = (case.without_gate(name) for name in self.gates)
        needed = (need(case) for need in self.needs)
        return next(filter(None, (*reasons, *needed)), "")
