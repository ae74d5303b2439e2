"""What `transom explain -o json` prints."""

from dataclasses import dataclass

from transom.facts.describe import Explanation
from transom.facts.explain import Answer
from transom.model.recipe import API_VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplanationDocument:
    """What is known about what was asked, best first; `more` has the ids of those left out.

    `sureness` and `score`, from 0 to 1, say how much of a known message a pasted text has; they
    are empty and 0 where no message was compared.
    """

    api_version: str = API_VERSION
    kind: str = "Explanation"
    query: str
    explanations: tuple[Explanation, ...]
    more: tuple[str, ...]
    sureness: str
    score: float


def explanation_document(query: str, answer: Answer) -> ExplanationDocument:
    """The document of an answer."""
    return ExplanationDocument(
        query=query,
        explanations=answer.explanations,
        more=answer.more,
        sureness=answer.sureness,
        score=answer.score,
    )
