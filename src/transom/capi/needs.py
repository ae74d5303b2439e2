"""What Windows machines need of the Linux side of a cluster, where the facts demand it.

Control planes are otherwise left as they are. Shown with a pool for an existing cluster, built into
a whole one.
"""

from collections.abc import Iterator
from dataclasses import field
from typing import Any

from transom.capi.objects import arguments
from transom.capi.wish import Wish
from transom.facts.gates import Gate, state
from transom.facts.rows import At, one
from transom.model.records import dataclass

GATE = "WindowsHostProcessContainers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """One demand: why, and the part of a kubeadm configuration that meets it.

    `everywhere` says that every Linux machine needs it, not only those of the control plane.
    """

    reason: str
    source: str
    part: dict[str, Any] = field(default_factory=dict)
    everywhere: bool = False


def needs(wish: Wish) -> tuple[Need, ...]:
    """Everything the facts demand for this wish."""
    return (*_gate(wish), *_mtu(wish))


def gates(wish: Wish) -> dict[str, str]:
    """The gates that kubelets on Windows need, as their argument; empty where none."""
    return {"feature-gates": f"{GATE}=true"} if _is_gate_off(wish) else {}


def _gate(wish: Wish) -> Iterator[Need]:
    if not _is_gate_off(wish):
        return
    row = one(Gate, GATE, At())
    extra = arguments(wish, {"feature-gates": f"{GATE}=true"})
    yield Need(
        reason=f"{GATE} is off by default in {wish.kubernetes}, and HostProcess add-ons need it",
        source=row.source,
        part={"clusterConfiguration": {"apiServer": {"extraArgs": extra}}},
    )


def _is_gate_off(wish: Wish) -> bool:
    if wish.kubernetes is None or wish.legacy:
        return False
    found = state(one(Gate, GATE, At()), wish.kubernetes)
    return bool(found.stage) and not found.on


def _mtu(wish: Wish) -> Iterator[Need]:
    if wish.mtu:
        yield Need(
            reason=f"packets from Linux nodes must fit the network's {wish.mtu} bytes, or they are lost",
            source=wish.row.source,
            part={
                "preKubeadmCommands": [f"ip link set dev ${{LINUX_INTERFACE:=eth0}} mtu {wish.mtu}"]
            },
            everywhere=True,
        )
