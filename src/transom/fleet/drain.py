"""Emptying a node before it is disturbed, and letting it take pods again.

Called by whatever works in waves. Pods leave by eviction, so that PodDisruptionBudgets hold; what
would lose data or never come back is refused before the first pod is asked to go.
"""

from collections.abc import Iterable

from transom.errors import PermanentError, TemporaryError, TransomError
from transom.fleet.marks import CORDONED, RESETTING
from transom.fleet.run import Clock
from transom.kube.api import Api, Node, Pod
from transom.model.fleet import Drain

_POLL_S = 2.0


async def cordon(api: Api, name: str) -> None:
    """Let a Node take no new pods, and write down who said so; one that others cordoned stays."""
    node = await api.node(name)
    if node is None:
        raise PermanentError(f"there is no Node {name} to drain", subject=name)
    if not node.unschedulable:
        await api.label_node(name, {CORDONED: "true"})
        await api.set_unschedulable(name, unschedulable=True)


async def uncordon(api: Api, node: Node) -> bool:
    """Let a Node that Transom cordoned take pods again; False where it had not."""
    if CORDONED not in node.labels:
        return False
    await api.set_unschedulable(node.name, unschedulable=False)
    await api.label_node(
        node.name, dict.fromkeys(key for key in (CORDONED, RESETTING) if key in node.labels)
    )
    return True


async def empty(api: Api, name: str, wish: Drain, clock: Clock) -> None:
    """Cordon and drain; a node that does not empty is let go again, for nothing was changed."""
    await cordon(api, name)
    try:
        await drain(api, name, wish, clock)
    except TransomError:
        node = await api.node(name)
        if node is not None:
            await uncordon(api, node)
        raise


async def drain(api: Api, name: str, wish: Drain, clock: Clock) -> int:
    """Have all pods leave that can; say which one stays and why where time runs out."""
    deadline = clock.monotonic() + wish.timeout_s
    leaving = _leaving(await api.pods_on(name))
    _refuse(name, leaving, wish)
    kept: dict[str, str] = {}
    there = leaving
    while there:
        kept = {}
        for pod in there:
            if not pod.is_leaving:
                budget = await api.evict(pod, grace_period_s=wish.grace_period_s)
                if budget:
                    kept[_named(pod)] = budget
        there = await _still_there(api, name)
        if there and clock.monotonic() + _POLL_S > deadline:
            raise _stuck(name, there, kept, wish)
        if there:
            await clock.sleep(_POLL_S)
    return len(leaving)


async def _still_there(api: Api, name: str) -> list[Pod]:
    """The pods to wait for; where the kubelet is silent nobody says that one has ended."""
    there = _leaving(await api.pods_on(name))
    if any(pod.is_leaving for pod in there):
        node = await api.node(name)
        if node is not None and not node.ready:
            return [pod for pod in there if not pod.is_leaving]
    return there


def _leaving(pods: Iterable[Pod]) -> list[Pod]:
    """The pods that a drain moves: not those that belong to the node itself, nor ended ones."""
    return [
        pod
        for pod in pods
        if not (pod.is_mirror or pod.is_finished or pod.controller == "DaemonSet")
    ]


def _refuse(name: str, pods: Iterable[Pod], wish: Drain) -> None:
    problems = []
    for pod in pods:
        if not pod.controller and not wish.force:
            problems.append(f"{_named(pod)} has no controller that replaces it (drain.force)")
        if pod.has_empty_dir and not wish.delete_empty_dir_data:
            problems.append(
                f"{_named(pod)} would lose its emptyDir data (drain.deleteEmptyDirData)"
            )
    if problems:
        raise PermanentError(
            f"{name} is not drained: {'; '.join(problems)}",
            subject=name,
            hint="remove these pods, or allow it in the fleet's upgrade.drain",
        )


def _stuck(name: str, there: list[Pod], kept: dict[str, str], wish: Drain) -> TemporaryError:
    said = "; ".join(
        f"{_named(pod)}: {kept.get(_named(pod)) or 'it is ending, but has not ended'}"
        for pod in there
    )
    return TemporaryError(
        f"{name} did not empty in {wish.timeout_s} s: {said}",
        subject=name,
        hint="give the budget another replica, or the drain more time (upgrade.drain.timeout)",
    )


def _named(pod: Pod) -> str:
    return f"{pod.namespace}/{pod.name}"
