"""Which Services, policies and volumes concern Windows: those that lead to a Windows pod.

Most such objects say nothing about a system themselves, and may stand in another file than the
pods. So what is found in them is kept until every document was seen.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from transom.model.finding import Finding
from transom.workload.context import OperatingSystem
from transom.workload.platform import OS_LABELS
from transom.workload.pods import ObjectView, PodView, mapping, sequence

# No name, label or claim that a cluster takes has such a character.
_PART, _GROUP = "\0", "\1"
_TEMPLATES = "volumeClaimTemplates"

# Namespace and name of the claims of each volume.
Claims = dict[str, set[tuple[str, str]]]


class Bond(NamedTuple):
    """What an object leads to: pods with these labels, of this owner, or with this claim.

    An empty namespace is decided when the document is applied, and meets any, unless the bond is
    `strict`: then only pods that are written with the same one. The bond counts only
    if it meets more pods than `beyond`, and pods with different numbers for `port`.
    """

    namespace: str
    labels: tuple[str, ...] = ()
    claim: str = ""
    volume: str = ""
    owner: str = ""
    every_pod: bool = False
    strict: bool = False
    beyond: int = 0
    port: str = ""


class WindowsPod(NamedTuple):
    """What is kept of a Windows pod; `replicas` are as many as its owner makes of it.

    `is_made` says that a controller made it, which may have been seen as well.
    """

    namespace: str
    owner: str
    labels: tuple[str, ...]
    claims: tuple[str, ...]
    ports: tuple[str, ...]
    replicas: int
    is_made: bool

    def packed(self) -> str:
        """One text, a fifth of the size."""
        lists = (_PART.join(few) for few in (self.labels, self.claims, self.ports))
        numbers = (str(self.replicas), str(int(self.is_made)))
        return _GROUP.join((self.namespace, self.owner, *lists, *numbers))

    @staticmethod
    def unpacked(text: str) -> "WindowsPod":
        """What was packed."""
        namespace, owner, labels, claims, ports, replicas, is_made = text.split(_GROUP)
        return WindowsPod(
            namespace,
            owner,
            _parts(labels),
            _parts(claims),
            _parts(ports),
            int(replicas),
            is_made == "1",
        )


def _parts(text: str) -> tuple[str, ...]:
    return tuple(text.split(_PART)) if text else ()


class _Meeting:
    """The pods that one bond has met so far."""

    __slots__ = ("counted", "declared", "made", "numbers", "owner")

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.counted: set[str] = set()
        self.declared = self.made = 0
        self.numbers: set[str] = set()

    def add(self, pod: WindowsPod, packed: str, bond: Bond) -> None:
        """Count a pod, once however often it was seen."""
        if bond.port:
            self.numbers |= {text for text in pod.ports if text.startswith(f"{bond.port}=")}
        if self.most > bond.beyond or packed in self.counted:
            return
        self.counted.add(packed)
        if pod.is_made:
            self.made += pod.replicas
        else:
            self.declared += pod.replicas

    @property
    def most(self) -> int:
        """How many pods were met; pods and the controllers that made them are not added up."""
        return max(self.declared, self.made)

    def is_enough(self, bond: Bond) -> bool:
        """Whether the bond counts."""
        return self.most > bond.beyond and (not bond.port or len(self.numbers) > 1)


class Links:
    """What was seen so far in some documents, as compactly as settling them allows.

    `pods` has one text per Windows pod, in the order they were seen; `claims` are those bound to a
    volume; `waiting` is what is true only if its bond is met.
    """

    __slots__ = ("claims", "pods", "waiting")

    def __init__(self) -> None:
        self.pods: dict[str, None] = {}
        self.claims: Claims = {}
        self.waiting: list[tuple[Bond, Finding]] = []

    def add_pod(self, pod: PodView) -> None:
        """Remember a Windows pod."""
        volumes = map(mapping, sequence(pod.spec.get("volumes")))
        claims = (mapping(volume.get("persistentVolumeClaim")) for volume in volumes)
        kept = WindowsPod(
            pod.object.namespace,
            f"{pod.object.kind} {pod.object.name}",
            tuple(_pairs(mapping(pod.metadata.get("labels")))),
            (
                *(str(claim["claimName"]) for claim in claims if "claimName" in claim),
                *_made_claims(pod.object),
            ),
            tuple(_named_ports(pod)),
            _replicas(pod.object),
            has_controller(pod.object),
        )
        self.pods[kept.packed()] = None

    def add_claim(self, view: ObjectView) -> None:
        """Remember which volume a claim is bound to, and of which class it is."""
        self._add_claim(mapping(view.value.get("spec")), view.namespace, view.name)

    def add_claim_templates(self, view: ObjectView) -> None:
        """Remember the classes of the claims that a StatefulSet makes for its pods."""
        for template in map(mapping, sequence(mapping(view.value.get("spec")).get(_TEMPLATES))):
            name = str(mapping(template.get("metadata")).get("name"))
            self._add_claim(mapping(template.get("spec")), view.namespace, _made(view, name))

    def _add_claim(self, spec: Mapping[str, Any], namespace: str, name: str) -> None:
        volume, storage_class = spec.get("volumeName"), spec.get("storageClassName")
        if isinstance(volume, str):
            self.claims.setdefault(volume, set()).add((namespace, name))
        if isinstance(storage_class, str):
            self.claims.setdefault(_class_key(storage_class), set()).add((namespace, name))

    def take_waiting(self) -> list[tuple[Bond, Finding]]:
        """What waits, handed over to somebody who keeps it."""
        taken, self.waiting = self.waiting, []
        return taken

    def settle(self) -> list[Finding]:
        """The waiting findings whose object leads to a Windows pod, with that as evidence."""
        owners = owners_of((bond for bond, _finding in self.waiting), self.pods, self.claims)
        return [
            with_evidence(finding, owners[bond]) for bond, finding in self.waiting if bond in owners
        ]


def _class_key(name: str) -> str:
    """What the claims of a class are kept under; no volume has such a name."""
    return f"class/{name}"


def _made(owner: ObjectView, template: str) -> str:
    return f"{template}/{owner.name}"


def _made_claims(owner: ObjectView) -> Iterator[str]:
    for template in map(mapping, sequence(mapping(owner.value.get("spec")).get(_TEMPLATES))):
        yield _made(owner, str(mapping(template.get("metadata")).get("name")))


def owners_of(bonds: Iterable[Bond], pods: Iterable[str], claims: Claims) -> dict[Bond, str]:
    """The bonds that meet a Windows pod, with the owner of the first one that each meets.

    Bonds are laid out by what they ask for and the pods, packed, passed by once, so that the time
    is that of both together and not of all their pairs.
    """
    wanted = _Wanted(dict.fromkeys(bonds), claims)
    meetings: dict[Bond, _Meeting] = {}
    for packed in pods:
        pod = WindowsPod.unpacked(packed)
        for bond in set(wanted.met_by(pod)):
            meetings.setdefault(bond, _Meeting(pod.owner)).add(pod, packed, bond)
    return {bond: met.owner for bond, met in meetings.items() if met.is_enough(bond)}


class _Wanted:
    """Bonds by what a pod must have to meet them."""

    def __init__(self, bonds: Iterable[Bond], bound: Claims) -> None:
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

    def met_by(self, pod: WindowsPod) -> Iterator[Bond]:
        """The bonds that one pod meets."""
        for claim in pod.claims:
            for place, bond in self._by_claim.get(claim, ()):
                if _same(place, pod.namespace):
                    yield bond
        by_label = (bond for label in pod.labels for bond in self._by_label.get(label, ()))
        for bond in (*self._by_owner.get(pod.owner, ()), *self._of_every_pod, *by_label):
            meets = bond.namespace == pod.namespace or not bond.strict
            if not (meets and _same(bond.namespace, pod.namespace)):
                continue
            if set(bond.labels) <= set(pod.labels):
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
            return Bond(view.namespace, labels=labels, every_pod=not selector, strict=True)
        case "HorizontalPodAutoscaler" | "VerticalPodAutoscaler":
            target = mapping(spec.get("scaleTargetRef") or spec.get("targetRef"))
            return Bond(view.namespace, owner=f"{target.get('kind')} {target.get('name')}")
        case "PersistentVolumeClaim" | "StorageClass" | "PersistentVolume":
            return _bond_of_storage(view, mapping(spec.get("claimRef")))
    return None


def _bond_of_storage(view: ObjectView, claim: Mapping[str, Any]) -> Bond:
    if view.kind == "PersistentVolumeClaim":
        return Bond(view.namespace, claim=view.name)
    if view.kind == "StorageClass":
        return Bond("", volume=_class_key(view.name))
    return Bond(str(claim.get("namespace", "")), claim=str(claim.get("name", "")), volume=view.name)


def says_windows(view: ObjectView) -> bool:
    """Whether an object without pods names Windows itself, as a volume's node affinity can."""
    required = mapping(mapping(mapping(view.value.get("spec")).get("nodeAffinity")).get("required"))
    return any(
        expression.get("key") in OS_LABELS
        and OperatingSystem.WINDOWS.value in sequence(expression.get("values"))
        for term in map(mapping, sequence(required.get("nodeSelectorTerms")))
        for expression in map(mapping, sequence(term.get("matchExpressions")))
    )


def _pairs(labels: Mapping[str, Any]) -> Iterable[str]:
    return (f"{key}={value}" for key, value in labels.items())


def _named_ports(pod: PodView) -> Iterator[str]:
    for container in pod.containers:
        for port in map(mapping, sequence(container.value.get("ports"))):
            if "name" in port:
                yield f"{port['name']}={port.get('containerPort')}"


def _replicas(view: ObjectView) -> int:
    replicas = mapping(view.value.get("spec")).get("replicas")
    return replicas if isinstance(replicas, int) else 1


def has_controller(view: ObjectView) -> bool:
    """Whether some controller made the object."""
    owners = map(mapping, sequence(view.metadata.get("ownerReferences")))
    return any(owner.get("controller") is True for owner in owners)


def _same(left: str, right: str) -> bool:
    return not left or not right or left == right


def with_evidence(finding: Finding, owner: str) -> Finding:
    """A finding that waited, now that its object is known to lead to that Windows pod."""
    return finding._replace(evidence=(f"leads to {owner}",))
