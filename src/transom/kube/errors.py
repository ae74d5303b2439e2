"""Refusals of an API server as errors, by what the caller must do about each.

    PermanentError
    ├─ NotFound          404   there is no such object
    ├─ AlreadyExists     409   create: an object of that name is there
    ├─ Conflict          409   the object changed since it was read: read it again, decide again
    │  └─ FieldConflict  409   apply: others own fields with other values; `fields` names them
    ├─ Forbidden         401, 403
    └─ Invalid           400, 422   the server does not accept what was sent
    TemporaryError
    ├─ Expired           410   a version or page token is too old: list again
    ├─ Throttled         429   wait `delay_s`; `budget` is the disruption budget that refused an eviction
    └─ Unavailable       5xx, or no answer

`transom.errors` has the families and their exit codes.
"""

from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any, NamedTuple

from transom.errors import PermanentError, TemporaryError, TransomError

_BUDGET = "DisruptionBudget"
_ENDING = "NamespaceTerminating"
_SHOWN = 500
_DELAY_S = 5.0
# What the server asks to wait is believed up to this.
_LONGEST_S = 300.0


class NotFound(PermanentError):  # noqa: N818 - named for what it is, as Kubernetes' own reason
    """There is no such object, or the server does not know its kind."""


class AlreadyExists(PermanentError):  # noqa: N818 - as Kubernetes' own reason
    """An object of that name is there."""


class Conflict(PermanentError):  # noqa: N818 - as Kubernetes' own reason
    """The object is not in the version that was named."""


class OwnedField(NamedTuple):
    """A field that a manager owns with another value, such as `.data.mode` of `kubectl`."""

    manager: str
    field: str


class FieldConflict(Conflict):
    """Fields of an applied manifest that others own with other values."""

    def __init__(
        self, message: str, *, fields: Sequence[OwnedField], subject: str = "", hint: str = ""
    ) -> None:
        super().__init__(message, subject=subject, hint=hint)
        self.fields = tuple(fields)


class Forbidden(PermanentError):  # noqa: N818 - as Kubernetes' own reason
    """The user may not do this, or is not known."""


class Invalid(PermanentError):  # noqa: N818 - as Kubernetes' own reason
    """The server does not accept what was sent."""


class Expired(TemporaryError):  # noqa: N818 - as Kubernetes' own reason
    """A version or a page token that is too old: list again.

    `following` continues a list where it stopped, in a newer version; empty where the server
    offers none.
    """

    def __init__(self, message: str, *, subject: str = "", following: str = "") -> None:
        super().__init__(message, subject=subject, delay_s=0.0)
        self.following = following


class Throttled(TemporaryError):  # noqa: N818 - named for what it is
    """The server takes no more requests now, or a disruption budget keeps a pod."""

    def __init__(
        self, message: str, *, subject: str = "", delay_s: float = _DELAY_S, budget: str = ""
    ) -> None:
        super().__init__(message, subject=subject, delay_s=delay_s)
        self.budget = budget


class Unavailable(TemporaryError):  # noqa: N818 - named for what it is
    """The server failed or did not answer."""


_MAY_NOT = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
_FINAL: Mapping[int, type[PermanentError]] = {
    HTTPStatus.NOT_FOUND: NotFound,
    HTTPStatus.BAD_REQUEST: Invalid,
    HTTPStatus.UNPROCESSABLE_ENTITY: Invalid,
}


class Refusal(NamedTuple):
    """An answer that is an error: its code, its Status (or what was sent instead) and Retry-After."""

    code: int
    status: Mapping[str, Any]
    retry_after: str = ""

    @property
    def message(self) -> str:
        """What the server says."""
        return str(self.status.get("message") or "")[:_SHOWN] or f"HTTP status {self.code}"

    @property
    def reason(self) -> str:
        """The server's one word for it."""
        return str(self.status.get("reason") or "")

    @property
    def causes(self) -> list[Mapping[str, Any]]:
        """What the refusal is made of."""
        found = _mapping(self.status.get("details")).get("causes")
        return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []

    @property
    def delay_s(self) -> float:
        """How long the server asks to wait."""
        details = _mapping(self.status.get("details"))
        for given in (self.retry_after, details.get("retryAfterSeconds")):
            text = str(given or "")
            if text.isascii() and text.isdigit():
                return min(float(text), _LONGEST_S)
        return _DELAY_S


def refused(refusal: Refusal, *, act: str, subject: str, server: str) -> TransomError:
    """The error that a refusal is."""
    code = refusal.code
    message = f"cannot {act} {subject}: {refusal.message}"
    if code == HTTPStatus.CONFLICT:
        return _conflict(refusal, message, server)
    if code == HTTPStatus.GONE:
        following = str(_mapping(refusal.status.get("metadata")).get("continue") or "")
        return Expired(message, subject=server, following=following)
    budget = next((_budget(cause) for cause in refusal.causes if _budget(cause)), "")
    if code == HTTPStatus.TOO_MANY_REQUESTS or budget:
        return Throttled(message, subject=server, delay_s=refusal.delay_s, budget=budget)
    if code >= HTTPStatus.INTERNAL_SERVER_ERROR or code == HTTPStatus.REQUEST_TIMEOUT:
        return Unavailable(message, subject=server, delay_s=refusal.delay_s)
    if code in _MAY_NOT:
        return Forbidden(message, subject=server, hint="use a kubeconfig whose user may do this")
    return _FINAL.get(code, PermanentError)(message, subject=server)


def _conflict(refusal: Refusal, message: str, server: str) -> PermanentError:
    if refusal.reason == "AlreadyExists":
        return AlreadyExists(message, subject=server)
    fields = tuple(_owned(refusal.causes))
    if fields:
        return FieldConflict(message, subject=server, fields=fields)
    return Conflict(message, subject=server)


def _owned(causes: Sequence[Mapping[str, Any]]) -> Iterator[OwnedField]:
    for cause in causes:
        if cause.get("reason") == "FieldManagerConflict":
            # 'conflict with "kubectl" using v1': apimachinery, pkg/util/managedfields.
            parts = str(cause.get("message") or "").split('"')
            yield OwnedField(parts[1] if len(parts) > 1 else "", str(cause.get("field") or ""))


def _budget(cause: Mapping[str, Any]) -> str:
    """What keeps a pod from leaving for now; empty where the cause is another.

    A namespace that is being deleted forbids evictions until its pods are gone (kubectl waits for
    them as well: kubernetes/kubernetes staging/src/k8s.io/kubectl/pkg/drain/drain.go).
    """
    reason = cause.get("reason")
    return str(cause.get("message") or reason) if reason in (_BUDGET, _ENDING) else ""


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
