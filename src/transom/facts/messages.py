"""Which known failure a pasted text has: the table of failures and codes, made ready once.

How a text is compared is in
`model.recognition`.
"""

from functools import cache

from transom.facts.codes import ErrorCode
from transom.facts.failures import Failure
from transom.facts.rows import read
from transom.model.recognition import Code, Known, Rank, Recogniser, Recognition


def recognise(text: str) -> Recognition:
    """What the text has, most telling first; where that is nothing, what comes nearest."""
    return recogniser().recognise(text)


@cache
def recogniser() -> Recogniser:
    """The whole table."""
    known = [Known(row.id, row.signs, row.messages, Rank(row.rank)) for row in read(Failure)]
    codes = [
        Code(row.id, row.value, row.name, row.text, decides=row.decides) for row in read(ErrorCode)
    ]
    return Recogniser(known, codes)
