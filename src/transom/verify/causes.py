"""The cause of a failure, named from what the test said. Pure: the failures that are known are facts."""

from functools import lru_cache

from transom.facts.codes import ErrorCode
from transom.facts.failures import Failure
from transom.facts.messages import recognise
from transom.facts.rows import read
from transom.model.recognition import Rank
from transom.model.records import dataclass

# The page of a store asks for the same texts again and again.
_REMEMBERED = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """A known failure that a message shows; `transom explain ID` says more of it."""

    id: str
    title: str
    sureness: str
    remedy: str


@lru_cache(_REMEMBERED)
def cause_of(message: str) -> Cause | None:
    """Name the cause; None where it is not known, which is better than a guess.

    What is only a symptom names no cause, nor does what is harmless.
    """
    for found in recognise(message).found if message else ():
        if found.rank is Rank.CAUSE:
            return _told(found.id, found.sureness.value)
    return None


def _told(row_id: str, sureness: str) -> Cause:
    for failure in read(Failure):
        if failure.id == row_id:
            return Cause(id=row_id, title=failure.title, sureness=sureness, remedy=failure.remedy)
    code = next(row for row in read(ErrorCode) if row.id == row_id)
    return Cause(
        id=row_id,
        title=f"{code.name}: {code.text or code.cause}",
        sureness=sureness,
        remedy=code.remedy,
    )
