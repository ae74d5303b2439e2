"""Every error Transom raises on purpose, by what the caller must do about it.

    TransomError(message, *, subject, hint)
    ├─ UsageError        exit 2   the input is wrong or cannot be read; nothing was changed
    │  └─ InvalidDocument         a document with one or more mistakes, each with its place
    ├─ UnsupportedError  exit 3   outside what the facts allow
    │  └─ Refused                 a fleet that cannot work, with every reason
    ├─ TemporaryError    exit 4   the same call may succeed later
    │  ├─ NotBegun                a run that was asked for and of which nothing happened
    │  └─ InUse                   a program that runs, which Windows lets nobody replace or remove
    ├─ PermanentError    exit 5   trying again is useless
    └─ InternalError     exit 70  a defect of Transom

`kube.errors` has the refusals of an API server, below TemporaryError and PermanentError.

Only the command line turns these into words and exit codes. Foreign exceptions are translated at
the doors. This module ships to Windows hosts with `model` and `node`: standard library only.
"""

from collections.abc import Sequence
from typing import ClassVar

from transom.model.problem import Mistake, Refusal


class TransomError(Exception):
    """The root: a sentence about what failed, the thing it concerns, and what to do next."""

    exit_code: ClassVar[int] = 70

    def __init__(self, message: str, *, subject: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.subject = subject
        self.hint = hint


class UsageError(TransomError):
    """The user's input: a wrong argument, a file that is missing or cannot be read."""

    exit_code = 2


class InvalidDocument(UsageError):  # noqa: N818 - named for what it is, as in DESIGN
    """A document with mistakes; carries all of them, never only the first."""

    def __init__(self, mistakes: Sequence[Mistake], *, subject: str, hint: str = "") -> None:
        count = len(mistakes)
        super().__init__(
            f"{subject} has {count} mistake{'s' if count != 1 else ''}", subject=subject, hint=hint
        )
        self.mistakes = tuple(mistakes)


class UnsupportedError(TransomError):
    """A version, platform or combination that the facts do not allow."""

    exit_code = 3


class Refused(UnsupportedError):  # noqa: N818 - named for what it is, as in DESIGN
    """A fleet that was understood and cannot work; carries every reason at once."""

    def __init__(self, refusals: Sequence[Refusal], *, subject: str, hint: str = "") -> None:
        count = len(refusals)
        super().__init__(
            f"{subject} is refused for {count} reason{'s' if count != 1 else ''}",
            subject=subject,
            hint=hint,
        )
        self.refusals = tuple(refusals)


class TemporaryError(TransomError):
    """Something busy or unreachable; the same call may succeed after `delay_s`."""

    exit_code = 4

    def __init__(
        self, message: str, *, subject: str = "", hint: str = "", delay_s: float = 5.0
    ) -> None:
        super().__init__(message, subject=subject, hint=hint)
        self.delay_s = delay_s


class NotBegun(TemporaryError):  # noqa: N818 - named for what it is
    """A run on a host that left no trace there: whoever asked for it may ask again."""


class InUse(TemporaryError):  # noqa: N818 - named for what it is
    """A file that a process runs or has loaded: Windows only lets it be renamed until that ends."""


class PermanentError(TransomError):
    """A failure that another try will not mend."""

    exit_code = 5


class InternalError(TransomError):
    """A defect of Transom itself; shown with its traceback and a request to report it."""

    exit_code = 70
