"""Documents of the node program as lines for a person at the host's own prompt."""

from collections.abc import Iterator, Mapping
from typing import Any

from transom.model.event import State

_REBOOT = "Windows has to be restarted first; then run the same command again."


def words(document: Mapping[str, Any]) -> str:
    """One document, encoded, as what is printed of it; it may be nothing."""
    if document.get("kind") == "Failure":
        return "".join(f"{line}\n" for line in _failure(document))
    return _event(document) if document.get("kind") == "Event" else ""


def _event(event: Mapping[str, Any]) -> str:
    if not event["step"]:
        ended = _REBOOT if event["state"] == State.REBOOT.value else event["message"]
        return f"{event['host']}: {ended}\n{_next(event['hint'])}"
    place = f"{event['done']:>3}/{event['total']:<3}" if event["total"] else " " * 7
    return f"{place} {event['state']:<9} {event['message']}\n{_next(event['hint'])}"


def _next(hint: str) -> str:
    return f"  next:  {hint}\n" if hint else ""


def _failure(failure: Mapping[str, Any]) -> Iterator[str]:
    yield f"error: {failure['message']}"
    for refusal in failure["refused"]:
        yield f"  {refusal['subject']}: {refusal['found']}; {refusal['reason']}"
        yield f"    next: {refusal['fix']}"
    for mistake in failure["mistakes"]:
        yield f"  {mistake['path']} {mistake['message']}".replace("   ", "  ")
    if failure["subject"] and not failure["refused"]:
        yield f"  where: {failure['subject']}"
    if failure["hint"]:
        yield f"  next:  {failure['hint']}"
