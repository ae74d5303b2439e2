"""Whose a host's journal is: another's, or this fleet's under an authority that its cluster is leaving.

Pure.
"""

from transom.model.answers import PlannedChange, PlannedStep
from transom.model.journal import Owner
from transom.model.problem import Refusal
from transom.model.request import Request
from transom.node.engine.disruption import Disruption

JOURNAL = "journal"


def another_owner(host: str, owner: Owner, wanted: Owner) -> Refusal:
    """Why a host with that owner is not worked on for another."""
    found = f"fleet {owner.fleet}, cluster {owner.cluster or 'none yet'}, by {owner.who}"
    if owner.has_same_hands(wanted):
        return Refusal(
            id="another-owner",
            subject=host,
            found=found,
            reason=f"the authority of the cluster here is {wanted.cluster}: it is another cluster, or its "
            "authority was replaced, and Transom does not rotate authorities yet",
            fix="If it was replaced, have the old and the new certificate in cluster-info (ConfigMap in "
            "kube-public) together, run `transom apply`, and take the old one out afterwards. A host of "
            "another cluster is reset there.",
            source="",
        )
    return Refusal(
        id="another-owner",
        subject=host,
        found=found,
        reason=f"the host's journal does not belong to fleet {wanted.fleet} here",
        fix="Reset the host there first, or leave it to its owner.",
        source="",
    )


def is_claimed_anew(owner: Owner | None, request: Request) -> bool:
    """Whether a journal is the requester's under another authority than today's."""
    return owner is not None and owner.cluster in {*request.pins} - {request.owner.cluster}


def claim(host: str, owner: Owner | None, request: Request) -> tuple[PlannedStep, ...]:
    """What a run writes into such a journal: planned, so that a host with nothing else to do is visited."""
    if owner is None or not is_claimed_anew(owner, request):
        return ()
    return (
        PlannedStep(
            step=JOURNAL,
            title="Write the cluster's new authority into the journal",
            disruption=Disruption.NONE.value,
            drift=(PlannedChange(subject=host, found=owner.cluster, wanted=request.owner.cluster),),
        ),
    )
