"""Draining a node before it is disturbed: what may leave, what is asked to, and what stays and why.

Pods leave by eviction, so that PodDisruptionBudgets hold; what would lose data or never come back is
refused before the first pod is asked to go. One call looks once; whoever calls again waits in between.
"""

from collections.abc import Iterable, Mapping

from transom.errors import PermanentError, TemporaryError
from transom.fleet.turning import Failed, Turn, Waiting
from transom.kube.api import Api, Pod
from transom.model.fleet import Drain

_POLL_S = 2.0
_SHOWN = 3


async def drain(api: Api, name: str, wish: Drain) -> Turn:
    """Ask every pod to leave that can; say which stay and why."""
    there = await _still_there(api, name)
    refusal = _refusal(name, there, wish)
    if refusal is not None:
        return Failed(refusal)
    kept: dict[str, str] = {}
    for pod in there:
        if not pod.is_leaving and (reason := await _evict(api, pod, wish)):
            kept[_named(pod)] = reason
    if there:
        there = await _still_there(api, name)
    if not there:
        return None
    reasons = {
        _named(pod): kept.get(_named(pod)) or "it is ending, but has not ended" for pod in there
    }
    return Waiting(error=_stuck(name, reasons, wish), what=_what(reasons), poll_s=_POLL_S)


async def _evict(api: Api, pod: Pod, wish: Drain) -> str:
    """Ask one pod to leave; why it stays for now."""
    try:
        return await api.evict(pod, grace_period_s=wish.grace_period_s)
    except TemporaryError as error:
        return error.message


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


def _refusal(name: str, pods: Iterable[Pod], wish: Drain) -> PermanentError | None:
    problems = []
    for pod in pods:
        if pod.is_leaving:
            continue
        if not pod.controller and not wish.force:
            problems.append(f"{_named(pod)} has no controller that replaces it (drain.force)")
        if pod.has_empty_dir and not wish.delete_empty_dir_data:
            problems.append(
                f"{_named(pod)} would lose its emptyDir data (drain.deleteEmptyDirData)"
            )
    if not problems:
        return None
    return PermanentError(
        f"{name} is not drained: {'; '.join(problems)}",
        subject=name,
        hint="remove these pods, allow it in the fleet's upgrade.drain, or run `kubectl drain` yourself",
    )


def _stuck(name: str, reasons: Mapping[str, str], wish: Drain) -> TemporaryError:
    said = "; ".join(f"{pod}: {reason}" for pod, reason in reasons.items())
    return TemporaryError(
        f"{name} did not empty in {wish.timeout_s} s: {said}",
        subject=name,
        hint="give the budget another replica, or the drain more time (upgrade.drain.timeout)",
    )


def _what(reasons: Mapping[str, str]) -> str:
    names = list(reasons)
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return (
        f"wait until {', '.join(names[:_SHOWN])}{more} {'has' if len(names) == 1 else 'have'} left"
    )


def _named(pod: Pod) -> str:
    return f"{pod.namespace}/{pod.name}"
