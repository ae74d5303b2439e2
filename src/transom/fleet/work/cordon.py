"""Cordons that say whose they are, so that each is taken back by who put it there and by nobody else.

A cordon of Transom's is written on the Node in the same change that makes it: the holder, the run, the command, since
when and why. What another hand cordoned stays, also where an old note of ours is still on the Node: the
API server knows who made a Node unschedulable last.
"""

import json
import secrets
from datetime import UTC, datetime

from transom.errors import PermanentError
from transom.fleet.work.labels import RESETTING
from transom.kube.api import Api, Node
from transom.kube.door import FIELD_MANAGER
from transom.model.records import dataclass

CORDON = "transom.dev/cordon"
MAINTAIN, RESET = "maintain", "reset"
# These bring a host to its recipe: each finishes what another of them, or a reset, left unfinished.
_CHANGES = frozenset({"adopt", "apply", "join", "upgrade"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """Who works on nodes: a person or a program by name, the command, and this very run of it."""

    name: str
    verb: str
    run: str

    @staticmethod
    def of(name: str, verb: str, now: datetime) -> "Holder":
        """A run that begins now."""
        run = f"{now.astimezone(UTC):%Y%m%dT%H%M%SZ}-{secrets.token_hex(2)}"
        return Holder(name=name, verb=verb, run=run)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cordon:
    """What Transom wrote on a Node that it cordoned."""

    holder: str
    verb: str
    run: str
    since: str
    reason: str = ""

    @property
    def said(self) -> str:
        """Whose it is, in words."""
        by = f" by {self.holder}" if self.holder else ""
        return f"by `transom {self.verb}`{by} since {self.since}"


def cordon_of(node: Node) -> Cordon | None:
    """The cordon of Transom's that is on a Node; None where there is none, or another's."""
    if not node.unschedulable or node.cordoned_by not in ("", FIELD_MANAGER):
        return None
    try:
        found = json.loads(node.annotations.get(CORDON, ""))
        return Cordon(**{key: str(found[key]) for key in ("holder", "verb", "run", "since")})
    except (ValueError, KeyError, TypeError, RecursionError):
        return None


def may_take_back(found: Cordon, holder: Holder) -> bool:
    """Whether a cordon is this run's own, or one that a command of its kind left unfinished."""
    if (found.holder, found.run) == (holder.name, holder.run) or found.verb == holder.verb:
        return True
    return holder.verb in _CHANGES and found.verb in {*_CHANGES, RESET}


async def cordon(api: Api, name: str, holder: Holder, *, reason: str, now: datetime) -> str | None:
    """Let a Node take no new pods, and write down who said so; what others cordoned stays theirs.

    The note of an unfinished run that is taken over is returned, so that it can be put back.
    """
    node = await api.node(name)
    if node is None:
        raise PermanentError(f"there is no Node {name} to drain", subject=name)
    found = cordon_of(node)
    if node.unschedulable and found is None:
        return None
    if found is not None and (found.holder, found.run) == (holder.name, holder.run):
        return None
    note = {
        "holder": holder.name,
        "verb": holder.verb,
        "run": holder.run,
        "since": f"{now.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "reason": reason,
    }
    await api.set_unschedulable(name, unschedulable=True, annotations={CORDON: json.dumps(note)})
    return node.annotations[CORDON] if found is not None else None


async def hand_back(api: Api, node: Node, holder: Holder, note: str | None) -> None:
    """Have a Node as it was before this run cordoned it: taking pods, or with the note that was taken over."""
    found = cordon_of(node)
    if note is None:
        await uncordon(api, node, holder)
    elif found is not None and (found.holder, found.run) == (holder.name, holder.run):
        await api.set_unschedulable(node.name, unschedulable=True, annotations={CORDON: note})


async def uncordon(api: Api, node: Node, holder: Holder) -> bool:
    """Let a Node take pods again whose cordon this run may take back; False where it may not."""
    found = cordon_of(node)
    if found is None:
        if CORDON in node.annotations and not node.unschedulable:
            # Somebody else let it take pods again: what the note says has not been true since.
            await _take_back(api, node)
        return False
    if not may_take_back(found, holder):
        return False
    await _take_back(api, node)
    return True


async def _take_back(api: Api, node: Node) -> None:
    await api.set_unschedulable(node.name, unschedulable=False, annotations={CORDON: None})
    if RESETTING in node.labels:
        await api.label_node(node.name, {RESETTING: None})
