"""An error as a document: what `-o json` prints where the command could not do its work."""

from transom.errors import InvalidDocument, Refused, TransomError
from transom.model.api_versions import written
from transom.model.problem import Mistake, Refusal
from transom.model.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorDocument:
    """Why a command failed, what it concerns and what to do next.

    `error` is the kind of error; `transom explain` knows it, and every id in `refused`. `cause` is what a file system, server or program said. `mistakes` are those of a document that
    is wrong, `refused` the reasons why a fleet cannot work; both have every one.
    """

    api_version: str = written("Error")
    kind: str = "Error"
    error: str
    message: str
    subject: str
    cause: str
    hint: str
    exit_code: int
    mistakes: tuple[Mistake, ...]
    refused: tuple[Refusal, ...]


def error_document(error: TransomError) -> ErrorDocument:
    """The document of an error."""
    return ErrorDocument(
        error=type(error).__name__,
        message=error.message,
        subject=error.subject,
        cause="" if error.__cause__ is None else str(error.__cause__),
        hint=error.hint,
        exit_code=error.exit_code,
        mistakes=error.mistakes if isinstance(error, InvalidDocument) else (),
        refused=error.refusals if isinstance(error, Refused) else (),
    )
