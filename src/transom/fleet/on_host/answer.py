"""What a host answers, read with suspicion: of the right form, or the failure of that host alone.

Nothing a host answers is trusted as a path, a size, a type or a command.
"""

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from transom.errors import PermanentError
from transom.model.codec import decode

T = TypeVar("T")


def document_in(line: bytes) -> dict[str, Any] | None:
    """The document that a line is; None where it is another text."""
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def last_document(said: bytes) -> dict[str, Any]:
    """The last document of an output; empty where there is none."""
    found = (document_in(line) for line in reversed(said.splitlines()))
    return next((document for document in found if document is not None), {})


def read_answer(kind: type[T], answer: Mapping[str, Any]) -> T:
    """An answer as what it should be."""
    try:
        return decode(kind, dict(answer))
    except ValueError as error:
        raise unusable(str(error)) from error


def text_of(answer: Mapping[str, Any], key: str) -> str:
    """A text of an answer; empty where it is none."""
    found = answer.get(key)
    return found if isinstance(found, str) else ""


def unusable(why: str) -> PermanentError:
    """The error of a host whose answer is not of the form it must have."""
    return PermanentError(
        f"the host's answer cannot be used: {why[:500]}",
        hint=r"look who may write to C:\k\transom on the host; `transom doctor` looks for other causes",
    )
