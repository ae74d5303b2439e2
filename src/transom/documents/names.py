"""What `transom capi names` prints with `-o json`."""

from transom.facts.names import Collision, ComputerName
from transom.model.api_versions import written
from transom.model.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class NameReport:
    """Machines with their computer names by a rule, and the names that more than one would get."""

    api_version: str = written("NameReport")
    kind: str = "NameReport"
    rule: str
    concerns: str
    names: tuple[ComputerName, ...]
    collisions: tuple[Collision, ...]
