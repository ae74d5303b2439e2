"""What `transom explain -o json` prints."""

from typing import Annotated

from transom.facts.describe import Explanation
from transom.facts.explain import Answer
from transom.model.api_versions import written
from transom.model.choices import OneOf
from transom.model.recognition import Sureness
from transom.model.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplanationDocument:
    """What is known about what was asked, best first; `more` has the ids of those left out.

    Of a pasted text `sureness` is sure or likely, `lines` has the line that each explanation was
    found in, and `codes` what further codes in it mean, which decide nothing. Where nothing is
    known there are no explanations, and `nearest` has what is most like it.
    """

    api_version: str = written("Explanation")
    kind: str = "Explanation"
    query: str
    explanations: tuple[Explanation, ...]
    more: tuple[str, ...]
    sureness: Annotated[str, OneOf.values_of(Sureness, "")]
    lines: tuple[str, ...]
    codes: tuple[str, ...]
    nearest: tuple[str, ...]


def explanation_document(query: str, answer: Answer) -> ExplanationDocument:
    """The document of an answer."""
    return ExplanationDocument(
        query=query,
        explanations=answer.explanations,
        more=answer.more,
        sureness=answer.sureness,
        lines=answer.lines,
        codes=answer.codes,
        nearest=answer.nearest,
    )
