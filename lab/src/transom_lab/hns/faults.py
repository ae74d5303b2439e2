"""Failures on demand: which calls fail or are slow, how often, and what a new switch does.

Set by tests through the control socket; asked by the service before it answers a call.
"""

from dataclasses import dataclass, field
from typing import Any


@dataclass(slots=True)
class Fault:
    """Some of the next calls of one function fail, or are late.

    `function` is the name of a function of the DLLs (`HcnCreateNetwork`), or `HNSCall METHOD`.
    `match` is a text the call must contain. `hresult` zero only delays. A fault is spent after
    `count` calls.
    """

    function: str
    hresult: int = 0
    match: str = ""
    count: int = 1
    delay_s: float = 0.0


@dataclass(frozen=True, slots=True)
class SwitchInterruption:
    """What the next external virtual switch does to the adapter it takes over.

    Windows moves the adapter's address to the switch: every session of the host is cut for
    `down_s`, and a static address may not come back.
    """

    down_s: float
    lose_addresses: bool = False


@dataclass(slots=True)
class Faults:
    """All faults that are not spent."""

    pending: list[Fault] = field(default_factory=list)
    interruption: SwitchInterruption | None = None

    def take(self, function: str, first: str, text: str) -> list[Fault]:
        """The faults this call meets; each is counted as used once."""
        met = [
            fault
            for fault in self.pending
            if fault.function in (function, f"{function} {first}") and fault.match in text
        ]
        for fault in met:
            fault.count -= 1
        self.pending = [fault for fault in self.pending if fault.count > 0]
        return met

    def take_interruption(self) -> SwitchInterruption | None:
        """The interruption the switch made now causes; it happens once."""
        interruption, self.interruption = self.interruption, None
        return interruption

    def clear(self) -> None:
        """Forget every fault."""
        self.pending = []
        self.interruption = None


def fault_from(document: dict[str, Any]) -> Fault:
    """Read a fault from a control request."""
    return Fault(
        function=str(document["function"]),
        hresult=int(document.get("hresult", 0)),
        match=str(document.get("match", "")),
        count=int(document.get("count", 1)),
        delay_s=float(document.get("delay_s", 0.0)),
    )
