"""The shape of a diagnosis: one named cause, what shows it, and what to do about it."""

from collections.abc import Callable, Iterator

from transom.model.finding import Severity
from transom.model.records import dataclass
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen


@dataclass(frozen=True, slots=True)
class Remedy:
    """What to do, and what running pods and Services lose when it is done.

    Both are required: nobody may follow a remedy without knowing what it interrupts.
    """

    text: str
    interrupts: str


NOTHING = "Nothing."


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """One place where a cause was found.

    `subject` is the thing that is wrong, `evidence` what shows it, `file` where that was read on
    the host. `remedy` is given instead of the diagnosis' own where more is known.
    """

    subject: str
    message: str
    evidence: tuple[str, ...] = ()
    file: str = ""
    remedy: Remedy | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """A cause by its name, which is never reused.

    `hides` names the diagnoses that are mere consequences: what they find is not told beside this
    one. `looks_at` names what of the observation is looked at.
    """

    id: str
    title: str
    symptom: str
    cause: str
    remedy: Remedy
    looks_at: tuple[str, ...]
    seen: Seen
    examine: Callable[[Observation], Iterator[Trouble]]
    severity: Severity = Severity.ERROR
    hides: tuple[str, ...] = ()
