"""Which Services, policies and volumes concern Windows: those that lead to a Windows pod.

Most such objects say nothing about a system themselves, and may stand in another file than the
pods. So what is found in them is kept until every document was seen. Called by the engine and
by whoever lints several files.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
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
    labels: tuple[str, ...] = ()
    claim: str = ""
    volume: str = ""
    owner: str = ""
    every_pod: bool = False


class Links:
    """What was seen so far in all documents of a run, as compactly as settling them allows.

    `pods` has one text per Windows pod, in the order they were seen; `waiting` what is true only
    if its bond is met.
    """

    __slots__ = ("claims", "pods", "waiting")

    def __init__(self) -> None:
        self.pods: dict[str, None] = {}
        self.claims: dict[str, set[tuple[str, str]]] = {}
        self.waiting: list[tuple[Bond, Finding]] = []

    def add_pod(self, pod: PodView) -> None:
        """Remember a Windows pod."""
        labels = mapping(pod.metadata.get("labels"))
        volumes = map(mapping, sequence(pod.spec.get("volumes")))
        claims = (mapping(volume.get("persistentVolumeClaim")) for volume in volumes)
        names = (str(claim["claimName"]) for claim in claims if "claimName" in claim)
        packed = _pack(pod.object.namespace, _owner(pod.object), _pairs(labels), names)
        self.pods[packed] = None

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

    def take_waiting(self) -> list[tuple[Bond, Finding]]:
        """What waits, handed over to somebody who keeps it."""
        taken, self.waiting = self.waiting, []
        return taken

    def settle(self) -> list[Finding]:
        """The waiting findings whose object leads to a Windows pod, with that as evidence."""
        owners = self.owners_of(bond for bond, _finding in self.waiting)
        return [
            with_evidence(finding, owners[bond]) for bond, finding in self.waiting if bond in owners
        ]

    def owners_of(self, bonds: Iterable[Bond]) -> dict[Bond, str]:
        """The bonds that meet a Windows pod, with the owner of the first one that each meets.

        Bonds are laid out by what they ask for and the pods passed by once, so that the time is
        that of both together and not of all their pairs.
        """
        wanted = _Wanted(dict.fromkeys(bonds), self.claims)
        owners: dict[Bond, str] = {}
        for packed in self.pods if wanted.bonds else ():
            namespace, owner, labels, claims = _unpack(packed)
            for bond in wanted.met_by(namespace, owner, labels, claims):
                owners.setdefault(bond, owner)
        return owners


class _Wanted:
    """Bonds by what a pod must have to meet them."""

    def __init__(
        self, bonds: Iterable[Bond], bound: Mapping[str, Iterable[tuple[str, str]]]
    ) -> None:
        self.bonds = list(bonds)
        self._by_label: dict[str, list[Bond]] = {}
        self._by_owner: dict[str, list[Bond]] = {}
        self._by_claim: dict[str, list[tuple[str, Bond]]] = {}
        self._of_every_pod: list[Bond] = []
        for bond in self.bonds:
            claims = [(bond.namespace, bond.claim)] if bond.claim else []
            for namespace, claim in [*claims, *bound.get(bond.volume, ())]:
                self._by_claim.setdefault(claim, []).append((namespace, bond))
            if bond.owner:
                self._by_owner.setdefault(bond.owner, []).append(bond)
            elif bond.every_pod:
                self._of_every_pod.append(bond)
            elif bond.labels:
                self._by_label.setdefault(bond.labels[0], []).append(bond)

    def met_by(
        self, namespace: str, owner: str, labels: Sequence[str], claims: Sequence[str]
    ) -> Iterator[Bond]:
        """The bonds that one pod meets."""
        for claim in claims:
            for place, bond in self._by_claim.get(claim, ()):
                if _same(place, namespace):
                    yield bond
        by_label = (bond for label in labels for bond in self._by_label.get(label, ()))
        for bond in (*self._by_owner.get(owner, ()), *self._of_every_pod, *by_label):
            if _same(bond.namespace, namespace) and set(bond.labels) <= set(labels):
                yield bond


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


def _owner(view: ObjectView) -> str:
    return f"{view.kind} {view.name}"


def _pairs(labels: Mapping[str, Any]) -> Iterable[str]:
    return (f"{key}={value}" for key, value in labels.items())


# No name, label or claim that a cluster takes has such a character.
_PART, _GROUP = "\0", "\1"


def _pack(namespace: str, owner: str, labels: Iterable[str], claims: Iterable[str]) -> str:
    return _GROUP.join((namespace, owner, _PART.join(labels), _PART.join(claims)))


def _unpack(packed: str) -> tuple[str, str, list[str], list[str]]:
    namespace, owner, labels, claims = packed.split(_GROUP, 3)
    return namespace, owner, labels.split(_PART), claims.split(_PART)


def _same(left: str, right: str) -> bool:
    return not left or not right or left == right


def with_evidence(finding: Finding, owner: str) -> Finding:
    """A finding that waited, now that its object is known to lead to that Windows pod."""
    return finding._replace(evidence=(f"leads to {owner}, for Windows",))
