"""Somebody who is no administrator may read or change what must be closed."""

from collections.abc import Iterator

from transom.model import sddl
from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.doctor.places import Places
from transom.node.engine.step import Seen

_OTHERS = {
    sddl.EVERYONE: "Everyone",
    sddl.AUTHENTICATED: "Authenticated Users",
    sddl.USERS: "Users",
}
_RIGHTS = {"write": sddl.WRITE, "read": sddl.READ}


def _examine(seen: Observation) -> Iterator[Trouble]:
    wanted = Places.of(seen.recipe).access
    for item in seen.paths:
        if item.acl and item.path in wanted:
            may = _more_than(item.acl, wanted[item.path])
            if may:
                yield Trouble(
                    subject=item.path,
                    message=f"{may} {item.path}",
                    evidence=(item.acl,),
                    file=item.path,
                )


def _more_than(found: str, wanted: str) -> str:
    try:
        there, asked = sddl.parse(found), sddl.parse(wanted)
    except ValueError:
        return ""  # entries that this cannot judge
    for right, mask in _RIGHTS.items():
        for who, name in _OTHERS.items():
            if there.allows(who, mask) and not asked.allows(who, mask):
                return f"{name} may {right}"
    return ""


DIAGNOSIS = Diagnosis(
    id="access-weak",
    title="Access too wide",
    symptom="Nothing fails: any user of the host can read the node's keys or replace a program "
    "that runs as SYSTEM.",
    cause="Directories below C:\\ let all users write unless that is taken from them; somebody or "
    "a tool widened the access.",
    remedy=Remedy(
        "`transom join ADDRESS` sets the access of the recipe again; treat keys that were "
        "readable as known to others: reset and join again.",
        "Setting the access interrupts nothing. Reset and join: every pod on this node.",
    ),
    looks_at=("paths", "recipe"),
    seen=Seen.STAND_IN,
    examine=_examine,
)
