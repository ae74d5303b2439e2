"""Answers of clouds, judged: what is worth another try, what is not, and what JSON says."""

import json
from typing import Any

from transom.errors import PermanentError, TemporaryError
from transom.node.host.values import WebAnswer

OK = 200
NOT_THERE = 404
_TRY_AGAIN = (408, 409, 410, 425, 429, 500, 502, 503, 504)


def text_of(answer: WebAnswer, what: str) -> str:
    """The text of a good answer; raise for any other."""
    _refuse(answer, what)
    return answer.body.decode(errors="replace")


def json_of(answer: WebAnswer, what: str) -> dict[str, Any]:
    """The object of a good answer; raise for any other."""
    _refuse(answer, what)
    try:
        found = json.loads(answer.body or b"{}")
    except ValueError as error:
        raise TemporaryError(f"{what}: the answer is no JSON", subject=what) from error
    if not isinstance(found, dict):
        raise TemporaryError(f"{what}: the answer is no object", subject=what)
    return found


def refusal(answer: WebAnswer) -> tuple[str, str]:
    """The name of an error and its message, as AWS and Azure write them."""
    try:
        found = json.loads(answer.body)
    except ValueError:
        return "", ""
    if not isinstance(found, dict):
        return "", ""
    inner = found.get("error")
    if isinstance(inner, dict):
        return str(inner.get("code", "")), str(inner.get("message", ""))
    name = str(found.get("__type", inner or "")).rpartition("#")[2]
    message = found.get("message", found.get("Message", found.get("error_description", "")))
    return name, str(message)


def _refuse(answer: WebAnswer, what: str) -> None:
    if answer.status == OK:
        return
    name, message = refusal(answer)
    said = ": ".join(part for part in (str(answer.status), name, message) if part)
    if answer.status in _TRY_AGAIN or name in ("ThrottlingException", "InternalServiceError"):
        raise TemporaryError(f"{what}: {said}", subject=what)
    raise PermanentError(
        f"{what}: {said}",
        subject=what,
        hint="The machine's own identity needs the right to read and to delete this secret.",
    )
