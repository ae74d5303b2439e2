"""An error as the document that tells of it."""

from transom.errors import InvalidDocument, Refused, TransomError
from transom.model.answers import Failure


def failure(error: TransomError) -> Failure:
    """The document of a failure; with every reason where there are many."""
    return Failure(
        error=type(error).__name__,
        message=error.message,
        subject=error.subject,
        hint=error.hint,
        refused=tuple(error.refusals) if isinstance(error, Refused) else (),
        mistakes=tuple(error.mistakes) if isinstance(error, InvalidDocument) else (),
    )
