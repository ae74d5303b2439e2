"""What a live Pod or Node complains of, as lines that an explanation can be looked for in.

Takes objects as the API server has them. Pure.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from transom.workload.pods import mapping, sequence

_STATUSES = ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses")
# What a container waits for on its way; nothing is wrong yet.
_ON_THE_WAY = frozenset({"ContainerCreating", "PodInitializing"})
# Reasons for which a Pod is not Ready that only repeat what its containers say.
_REPEATING = frozenset({"ContainersNotReady", "ContainersNotInitialized", "PodCompleted"})
_READY = "Ready"


def of_pod(pod: Mapping[str, Any], events: Iterable[Mapping[str, Any]]) -> list[str]:
    """What a pod, its containers and its events say is wrong, most telling first."""
    status = mapping(pod.get("status"))
    lines = [
        *(line for key in _STATUSES for item in sequence(status.get(key)) for line in _of(item)),
        *_warnings(events, pod),
        _line("", status.get("reason"), status.get("message")),
        *(
            _line(condition.get("type"), condition.get("reason"), condition.get("message"))
            for condition in map(mapping, sequence(status.get("conditions")))
            if condition.get("status") == "False" and condition.get("reason") not in _REPEATING
        ),
    ]
    return list(dict.fromkeys(filter(None, lines)))


def of_node(node: Mapping[str, Any], events: Iterable[Mapping[str, Any]]) -> list[str]:
    """What a node's conditions and events say is wrong."""
    conditions = map(mapping, sequence(mapping(node.get("status")).get("conditions")))
    lines = [
        *(
            _line(condition.get("type"), condition.get("reason"), condition.get("message"))
            for condition in conditions
            if (condition.get("type") == _READY) != (condition.get("status") == "True")
        ),
        *_warnings(events, node),
    ]
    return list(dict.fromkeys(filter(None, lines)))


def _of(status: Any) -> Iterator[str]:
    """What one container's status says; of one that runs, why it ended before."""
    container = mapping(status)
    state, last = mapping(container.get("state")), mapping(container.get("lastState"))
    waiting = mapping(state.get("waiting"))
    if waiting and waiting.get("reason") not in _ON_THE_WAY:
        yield _line(container.get("name"), waiting.get("reason"), waiting.get("message"))
    for ended in (mapping(state.get("terminated")), mapping(last.get("terminated"))):
        code = ended.get("exitCode")
        if ended and code != 0:
            reason = f"{ended.get('reason') or 'ended'}, exit code {code}"
            yield _line(container.get("name"), reason, ended.get("message"))


def _warnings(events: Iterable[Mapping[str, Any]], about: Mapping[str, Any]) -> Iterator[str]:
    """The messages of the warnings about an object, the newest first."""
    metadata = mapping(about.get("metadata"))
    wanted = (about.get("kind"), metadata.get("name"))
    mine = []
    for event in events:
        place = mapping(event.get("involvedObject")) or mapping(event.get("regarding"))
        if event.get("type") == "Warning" and (place.get("kind"), place.get("name")) == wanted:
            mine.append(event)
    for event in sorted(mine, key=_when, reverse=True):
        yield _line("", event.get("reason"), event.get("message") or event.get("note"))


def _when(event: Mapping[str, Any]) -> str:
    metadata = mapping(event.get("metadata"))
    times: Sequence[Any] = (
        mapping(event.get("series")).get("lastObservedTime"),
        event.get("lastTimestamp"),
        event.get("eventTime"),
        metadata.get("creationTimestamp"),
    )
    return next((str(time) for time in times if time), "")


def _line(name: Any, reason: Any, message: Any) -> str:
    """One complaint on one line, as whoever looks for causes reads line by line."""
    said = [" ".join(str(part).split()) for part in (name, reason, message) if part]
    return ": ".join(said) if reason or message else ""
