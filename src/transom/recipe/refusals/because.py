"""How a refusal is made from the fact it rests on."""

from transom.facts.rows import Row
from transom.model.problem import Refusal
from transom.recipe.case import Case


def because(
    row: Row, subject: str, found: str, reason: str, fix: str, *, row_id: str = ""
) -> Refusal:
    """A refusal that cites the row; `row_id` names a reason narrower than the row's own id."""
    return Refusal(
        id=row_id or row.id, subject=subject, found=found, reason=reason, fix=fix, source=row.source
    )


def host_path(case: Case, key: str = "") -> str:
    """The path of a key of this host in the fleet, by the host's name."""
    return f"hosts[{case.host.name}]" + (f".{key}" if key else "")
