"""Undoing what Transom did to a host: the turns of a reset that are its alone.

A host without the program is left as it is. What has to be remembered beyond the host's journal, which a reset
undoes, is written on its Node.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from transom.errors import PermanentError, UnsupportedError
from transom.fleet.planning.ownership import another_owner
from transom.fleet.turning import Failed, Phase, Turn, Waiting
from transom.fleet.work.cordon import uncordon
from transom.fleet.work.host import HostWork, api_s
from transom.fleet.work.labels import RESETTING, taken_off
from transom.fleet.work.outcome import Applied, Outcome
from transom.kube.api import Node
from transom.model.answers import Leftover, NodeStatus
from transom.model.event import State
from transom.model.recipe import PREPARED
from transom.model.request import Verb

_REMOVE_S = 30.0

Confirm = Callable[[tuple[Leftover, ...]], None]
"""Shown everything that a reset with force would take; raises where that is not wanted."""


@dataclass(kw_only=True)
class ResetWork(HostWork):
    """A host that is reset; with `confirm` also what is in no journal is taken.

    `is_taken` where the Node goes with it; one that was adopted is given back to its maker.
    """

    confirm: Confirm | None = None
    is_there: bool = field(default=False, init=False)
    was_node: Node | None = field(default=None, init=False)
    is_begun: bool = field(default=False, init=False)
    is_taken: bool = field(default=False, init=False)
    is_ours: bool = field(default=False, init=False)
    undone: tuple[str, ...] = field(default=(), init=False)
    node_deleted: bool = field(default=False, init=False)
    given_back: bool = field(default=False, init=False)

    @property
    def leaves_cluster(self) -> bool:
        """Whether its Node has to be seen to before the host is undone."""
        return self.is_there and self.was_node is not None and self.is_ours and not self.is_begun

    @property
    def brings(self) -> bool:
        """Only where there may be none: a reset by force."""
        return self.confirm is not None

    @property
    def cordons(self) -> bool:
        """Wherever there is a Node to be seen to."""
        return self.leaves_cluster

    @property
    def evicts(self) -> bool:
        """Unless a person does not want to wait for that."""
        return self.leaves_cluster and self.drains

    def applied(self) -> Applied:
        """What was undone, if anything."""
        if not self.is_there:
            return Applied(host=self.host.name, outcome=Outcome.UNCHANGED)
        return Applied(
            host=self.host.name,
            outcome=Outcome.RESET,
            changed=self.undone,
            notes=(*self.notes, *self._said()),
        )

    def _said(self) -> tuple[str, ...]:
        name = self.node_name
        if self.doors.api is None:
            skipped = f"pods of {name} were not asked to leave and its Node is still there"
            return (f"there is no kubeconfig, so {skipped}: `kubectl delete node {name}`",)
        if self.given_back:
            return (f"{name} is a node as it was found when it was adopted",)
        return () if self.node_deleted else (f"{name} had no Node",)


async def find(work: ResetWork) -> Turn:
    """See whether the node program is there; take away what a visit that was cut off has left."""
    work.is_there = await work.on_host.program.is_there()
    if not work.is_there:
        await work.on_host.program.remove_unfinished()
    return None


async def identify(work: ResetWork) -> Turn:
    """See whose the host is, and what has to become of its Node."""
    status, name = await work.on_host.program.status(), work.node_name
    owner = status.owner
    if owner is not None and not owner.gives_way_to(work.request.owner, work.request.pins):
        refusal = another_owner(name, owner, work.request.owner)
        return Failed(
            UnsupportedError(
                f"{name} belongs to {refusal.found}: {refusal.reason}",
                subject=name,
                hint=refusal.fix,
            )
        )
    await _judge(work, status)
    return None


async def _judge(work: ResetWork, status: NodeStatus) -> None:
    api = work.doors.api
    work.was_node = await api.node(work.node_name) if api is not None else None
    # A host that was undone has no journal: that its Node still has to go is written on the Node.
    work.is_begun = work.was_node is not None and RESETTING in work.was_node.labels
    work.is_taken = status.joined or work.confirm is not None or work.is_begun
    work.is_ours = work.is_taken or status.adopted


async def show(work: ResetWork) -> Turn:
    """Have a person agree to all that would be taken."""
    assert work.confirm is not None
    look = replace(work.request, verb=Verb.PLAN)
    work.confirm(await work.on_host.program.leftovers(look))
    work.request = replace(work.request, force=True)
    return None


async def unlabel(work: ResetWork) -> Turn:
    """Have the add-ons' pods leave before their programs do, and write down that the Node has to go."""
    node = await work.api.node(work.node_name)
    if node is None:
        return None
    labels: dict[str, str | None] = dict.fromkeys(key for key in PREPARED if key in node.labels)
    if work.is_taken:
        labels[RESETTING] = "true"
    if labels:
        await work.api.label_node(node.name, labels)
    return None


async def undo(work: ResetWork) -> Turn:
    """Have the node program undo everything that the journal has."""
    found = await work.on_host.follow(work.request, work.watcher.event)
    if isinstance(found, Waiting):
        return found
    if found.state is not State.DONE:
        return Failed(
            PermanentError(
                f"the reset ended as {found.state.value}",
                subject=work.node_name,
                hint="run the same command again; it goes on where it stopped",
            )
        )
    work.undone = found.changed
    return None


async def delete_node(work: ResetWork) -> Turn:
    """Have no Node; where that fails, the program is still there and the same command goes on."""
    work.node_deleted = await work.api.delete_node(work.node_name)
    return None


async def give_back(work: ResetWork) -> Turn:
    """Let its maker's node be as it was found: it takes pods again where Transom cordoned it."""
    node = await work.api.node(work.node_name)
    if node is not None:
        await uncordon(work.api, node, work.holder)
        if labels := taken_off(node.labels):
            await work.api.label_node(node.name, labels)
    work.given_back = True
    return None


async def remove(work: ResetWork) -> Turn:
    """Take the node program away; the run's process may still hold its own files for a moment."""
    await work.on_host.program.remove()
    return None


FIND = Phase(name="find", turn=find)
IDENTIFY = Phase(name="identify", when=lambda work: work.is_there, turn=identify)
SHOW = Phase(name="show", when=lambda work: work.confirm is not None, turn=show)
UNLABEL = Phase(
    name="unlabel", when=lambda work: work.leaves_cluster, turn=unlabel, deadline_s=api_s
)
UNDO = Phase(
    name="undo",
    says="undo what was done to the host",
    when=lambda work: work.is_there,
    turn=undo,
)
DELETE_NODE = Phase(
    name="delete",
    when=lambda work: work.is_taken and work.doors.api is not None,
    turn=delete_node,
    deadline_s=api_s,
)
GIVE_BACK = Phase(
    name="give-back",
    when=lambda work: work.was_node is not None and work.is_ours and not work.is_taken,
    turn=give_back,
    deadline_s=api_s,
)
REMOVE = Phase(
    name="remove",
    says="take the node program away",
    when=lambda work: work.is_there,
    turn=remove,
    deadline_s=lambda _work: _REMOVE_S,
)
