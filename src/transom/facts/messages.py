"""Which known failure a pasted line is: words compared, rare words counting more.

Used by `explain error` and the doctor. A score says how much of a known message was found in the
line; it says nothing of what else the line has, because people paste time stamps and context.
"""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from math import log

from transom.facts.failures import Failure
from transom.facts.rows import read
from transom.model.records import dataclass

SURE = 0.85
LIKELY = 0.6
LEAST = 0.45

_WORD = re.compile(r"0x[0-9a-f]+|--[a-z][a-z-]+|[a-z][a-z0-9]*|[0-9]+(?:\.[0-9]+)*")


@dataclass(frozen=True, slots=True)
class Match:
    """A known failure and how well a line fits it, between 0 and 1."""

    failure: Failure
    score: float

    @property
    def sureness(self) -> str:
        """The score in a word."""
        if self.score >= SURE:
            return "sure"
        return "likely" if self.score >= LIKELY else "perhaps"


def matches(line: str) -> Sequence[Match]:
    """The known failures that may be meant, best first; none where nothing fits well enough."""
    words = set(_words(line))
    found = [Match(failure, _score(failure, words)) for failure in read(Failure)]
    good = [match for match in found if match.score >= LEAST]
    return sorted(good, key=lambda match: (-match.score, match.failure.id))


def _score(failure: Failure, words: set[str]) -> float:
    return max(_share(message, words) for message in failure.messages)


def _share(message: str, words: set[str]) -> float:
    weights = _weights()
    wanted = {word: weights[word] for word in _words(message)}
    total = sum(wanted.values())
    return sum(weight for word, weight in wanted.items() if word in words) / total


@cache
def _weights() -> dict[str, float]:
    rows = read(Failure)
    counts = Counter(
        word for row in rows for word in {w for text in row.messages for w in _words(text)}
    )
    return {word: 1 + log(len(rows) / count) for word, count in counts.items()}


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
