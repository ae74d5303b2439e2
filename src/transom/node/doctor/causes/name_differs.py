"""The computer's name, the node's name and the name in its certificate are not one."""

from collections.abc import Iterator

from transom.node.doctor.client_certificate import NODE_PREFIX, client_certificate
from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.kubelet_command import kubelet_flag
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen

# Windows keeps a computer's NetBIOS name, which is cut, beside its DNS name, which the kubelet takes.
_NETBIOS_CHARACTERS = 15


def _examine(seen: Observation) -> Iterator[Trouble]:
    names = {"computer": seen.host.lower()}
    if seen.recipe is not None:
        names["recipe"] = seen.recipe.join.node_name
    override = kubelet_flag(seen, "hostname-override")
    if override:
        names["kubelet"] = override.lower()
    client = client_certificate(seen)
    if client is not None:
        names["certificate"] = client.subject.removeprefix(NODE_PREFIX)
    # A kubelet that is told its name need not be called after the computer.
    told = names.get("kubelet") or names["computer"]
    wrong = {
        where: name
        for where, name in names.items()
        if where != "computer" and name != told and not _is_cut(told, name)
    }
    if wrong:
        shown = ", ".join(f"{where} {name}" for where, name in names.items())
        yield Trouble(
            subject=seen.host,
            message=f"the kubelet calls itself {told}, others call the node "
            f"{', '.join(sorted(set(wrong.values())))}",
            evidence=(shown,),
        )


def _is_cut(computer: str, name: str) -> bool:
    """Whether the computer's name is that name as NetBIOS has it: without what is too long."""
    return len(computer) == _NETBIOS_CHARACTERS and name.startswith(computer)


DIAGNOSIS = Diagnosis(
    id="name-differs",
    title="Names differ",
    symptom="The kubelet runs and no Node of its name becomes Ready; the API server refuses it with "
    "`node ... is not allowed to modify node ...`.",
    cause="The computer was renamed after it joined, or the kubelet is given another name than the "
    "one its certificate is for.",
    remedy=Remedy(
        "Give the computer its old name back, or reset the host and join it under the new name.",
        "Renaming the computer takes a reboot, which ends every pod on this node. Reset and "
        "join: every pod on this node.",
    ),
    looks_at=("host", "services", "texts", "certificates", "recipe"),
    seen=Seen.WINE,
    examine=_examine,
    hides=("node-missing", "node-not-ready"),
)
