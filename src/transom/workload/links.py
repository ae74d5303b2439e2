"""Which Services, policies and volumes concern Windows: those that lead to a Windows pod.

Most such objects say nothing about a system themselves, and may stand in another file than the
pods. So what is found in them is kept until every document was seen. Called by the engine and
by whoever lints several files.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from transom.model.finding import Finding
from transom.workload.context import OperatingSystem
from transom.workload.platform import OS_LABELS
from transom.workload.pods import ObjectView, PodView, mapping, sequence


class Bond(NamedTuple):
    """What an object leads to: pods with these labels, of this owner, or with this claim.

    An empty namespace is decided when the document is applied, and meets any.
    """

    namespace: str
    labels: tuple[tuple[str, str], ...] = ()
    claim: str = ""
    volume: str = ""
    owner: str = ""
    every_pod: bool = False


class WindowsPod(NamedTuple):
    """What is kept of a Windows pod to be met by a bond."""

    owner: str
    namespace: str
    labels: frozenset[tuple[str, str]]
    claims: frozenset[str]


@dataclass(slots=True)
class Links:
    """What was seen so far in all documents of a run."""

    pods: set[WindowsPod] = field(default_factory=set)
    claims: dict[str, set[tuple[str, str]]] = field(default_factory=dict)
    waiting: list[tuple[Bond, Finding]] = field(default_factory=list)

    def add_pod(self, pod: PodView) -> None:
        """Remember a Windows pod."""
        labels = mapping(pod.metadata.get("labels"))
        volumes = map(mapping, sequence(pod.spec.get("volumes")))
        claims = (mapping(volume.get("persistentVolumeClaim")) for volume in volumes)
        self.pods.add(
            WindowsPod(
                f"{pod.object.kind} {pod.object.name}",
                pod.object.namespace,
                frozenset(_pairs(labels)),
                frozenset(str(claim["claimName"]) for claim in claims if "claimName" in claim),
            )
        )

    def add_claim(self, view: ObjectView) -> None:
        """Remember which volume a claim is bound to."""
        volume = mapping(view.value.get("spec")).get("volumeName")
        if isinstance(volume, str):
            self.claims.setdefault(volume, set()).add((view.namespace, view.name))

    def merge(self, other: "Links") -> None:
        """Take over what was seen in another file."""
        self.pods |= other.pods
        for volume, claims in other.claims.items():
            self.claims.setdefault(volume, set()).update(claims)
        self.waiting += other.waiting

    def settle(self) -> list[Finding]:
        """The waiting findings whose object leads to a Windows pod, with that as evidence."""
        owners: dict[Bond, str] = {}
        settled = []
        for bond, finding in self.waiting:
            if bond not in owners:
                owners[bond] = next((pod.owner for pod in self.pods if self._meets(bond, pod)), "")
            if owners[bond]:
                settled.append(_with_evidence(finding, f"leads to {owners[bond]}, for Windows"))
        return settled

    def _meets(self, bond: Bond, pod: WindowsPod) -> bool:
        claims = {(bond.namespace, bond.claim)} if bond.claim else set()
        claims |= self.claims.get(bond.volume, set())
        if any(_same(place, pod.namespace) and name in pod.claims for place, name in claims):
            return True
        if not _same(bond.namespace, pod.namespace):
            return False
        if bond.owner:
            return bond.owner == pod.owner
        return bond.every_pod or (bool(bond.labels) and pod.labels.issuperset(bond.labels))


def bond_of(view: ObjectView) -> Bond | None:
    """What an object leads to; None where it concerns Windows by itself, or not at all."""
    spec = mapping(view.value.get("spec"))
    match view.kind:
        case "Service":
            return Bond(view.namespace, labels=tuple(_pairs(mapping(spec.get("selector")))))
        case "NetworkPolicy":
            selector = mapping(spec.get("podSelector"))
            labels = tuple(_pairs(mapping(selector.get("matchLabels"))))
            return Bond(view.namespace, labels=labels, every_pod=not selector)
        case "HorizontalPodAutoscaler":
            target = mapping(spec.get("scaleTargetRef"))
            return Bond(view.namespace, owner=f"{target.get('kind')} {target.get('name')}")
        case "PersistentVolumeClaim":
            return Bond(view.namespace, claim=view.name)
        case "PersistentVolume":
            claim = mapping(spec.get("claimRef"))
            return Bond(
                str(claim.get("namespace", "")),
                claim=str(claim.get("name", "")),
                volume=view.name,
            )
    return None


def says_windows(view: ObjectView) -> bool:
    """Whether an object without pods names Windows itself, as a volume's node affinity can."""
    required = mapping(mapping(mapping(view.value.get("spec")).get("nodeAffinity")).get("required"))
    return any(
        expression.get("key") in OS_LABELS
        and OperatingSystem.WINDOWS.value in sequence(expression.get("values"))
        for term in map(mapping, sequence(required.get("nodeSelectorTerms")))
        for expression in map(mapping, sequence(term.get("matchExpressions")))
    )


def _pairs(labels: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    return ((str(key), str(value)) for key, value in labels.items())


def _same(left: str, right: str) -> bool:
    return not left or not right or left == right


def _with_evidence(finding: Finding, evidence: str) -> Finding:
    from dataclasses import replace

    return replace(finding, evidence=(evidence,))
