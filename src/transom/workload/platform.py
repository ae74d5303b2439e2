"""The system a pod is for, decided once, with the evidence.

The strongest sign decides; the weaker ones are kept as evidence only where they agree.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from transom.facts.labels import NodeLabel
from transom.facts.rows import read
from transom.workload.context import LintContext, OperatingSystem
from transom.workload.image import read_image
from transom.workload.pods import PodView, mapping, sequence, windows_options

if TYPE_CHECKING:
    from transom.model.taint import Taint

OS_LABELS = ("kubernetes.io/os", "beta.kubernetes.io/os")
BUILD_LABEL = "node.kubernetes.io/windows-build"
_HYPERV_ANNOTATION = "experimental.windows.kubernetes.io/isolation-type"

Sign = tuple[OperatingSystem, str]

_BY_NAME = {system.value: system for system in OperatingSystem}


def decide(pod: PodView, ctx: LintContext) -> None:
    """Set the pod's system and the evidence for it."""
    signs = list(_signs(pod, ctx))
    if signs:
        pod.os = signs[0][0]
        pod.evidence = tuple(text for system, text in signs if system is pod.os)
    elif ctx.assume is not None:
        pod.os = ctx.assume
        pod.evidence = (f"assumed to be for {ctx.assume.value}: nothing in the pod says more",)


def placement(pod: PodView, ctx: LintContext) -> Iterator[Sign]:
    """The signs that also decide where the scheduler puts the pod."""
    yield from _selector_signs(mapping(pod.spec.get("nodeSelector")))
    yield from _affinity_signs(pod.spec)
    name = pod.spec.get("runtimeClassName")
    system = ctx.runtime_classes.get(name) if isinstance(name, str) else None
    if system is not None:
        yield system, f"RuntimeClass {name}"


def taints_in_the_way(pod: PodView, ctx: LintContext) -> "Iterator[Taint]":
    """The taints of the Windows nodes that keep the pod off them."""
    tolerations = [mapping(item) for item in sequence(pod.spec.get("tolerations"))]
    for taint in ctx.taints:
        is_hard = taint.effect != "PreferNoSchedule"
        if is_hard and not any(_tolerates(item, taint) for item in tolerations):
            yield taint


def is_let_in(pod: PodView) -> bool:
    """Whether a toleration names Windows: somebody meant the pod to run beside Windows pods at least."""
    tolerations = map(mapping, sequence(pod.spec.get("tolerations")))
    return any(
        str(item.get("value")).lower() == OperatingSystem.WINDOWS.value for item in tolerations
    )


def _tolerates(toleration: Mapping[str, Any], taint: "Taint") -> bool:
    if toleration.get("effect") not in (None, "", taint.effect):
        return False
    if toleration.get("operator") == "Exists":
        return toleration.get("key") in (None, "", taint.key)
    return toleration.get("key") == taint.key and toleration.get("value", "") == taint.value


def pinned_builds(pod: PodView, ctx: LintContext) -> tuple[int, ...]:
    """The builds of the nodes a pod can go to, as far as it says; empty where it says nothing.

    Its selector, the alternatives of its required affinity and its RuntimeClass must all hold.
    """
    pins = [_selected_builds(mapping(pod.spec.get("nodeSelector")))]
    terms = [_term_builds(term) for term in _required_terms(pod.spec)]
    if terms and all(terms):
        pins.append(frozenset().union(*terms))
    name = pod.spec.get("runtimeClassName")
    if isinstance(name, str) and ctx.class_builds.get(name):
        pins.append(frozenset(ctx.class_builds[name]))
    said = [builds for builds in pins if builds]
    return tuple(sorted(frozenset.intersection(*said))) if said else ()


def builds_of_selector(selector: Mapping[str, Any]) -> tuple[int, ...]:
    """The builds that a node selector leads to."""
    return tuple(sorted(_selected_builds(selector)))


def _selected_builds(selector: Mapping[str, Any]) -> frozenset[int]:
    found = [builds for key, value in selector.items() if (builds := _label_builds(key, value))]
    return frozenset.intersection(*found) if found else frozenset()


def _term_builds(term: Mapping[str, Any]) -> frozenset[int]:
    """The builds that a term of an affinity leaves; its expressions must all hold."""
    found = []
    for expression in map(mapping, sequence(term.get("matchExpressions"))):
        if expression.get("operator") == "In":
            values = sequence(expression.get("values"))
            builds = [_label_builds(str(expression.get("key")), value) for value in values]
            if builds and all(builds):
                found.append(frozenset().union(*builds))
    return frozenset.intersection(*found) if found else frozenset()


def _label_builds(key: str, value: Any) -> frozenset[int]:
    if key == BUILD_LABEL:
        last = str(value or "").rpartition(".")[2]
        return frozenset({int(last)}) if last.isdecimal() else frozenset()
    row = _cloud_labels().get((key, str(value)))
    return frozenset(row.builds) if row is not None else frozenset()


@cache
def _cloud_labels() -> dict[tuple[str, str], NodeLabel]:
    return {(row.key, row.value): row for row in read(NodeLabel)}


def label_system(key: str, value: Any) -> OperatingSystem | None:
    """The system of the nodes that have a label; Windows of every case, for the API takes any."""
    if key in OS_LABELS:
        return _BY_NAME.get(str(value).lower())
    if key == BUILD_LABEL and value:
        return OperatingSystem.WINDOWS
    row = _cloud_labels().get((key, str(value)))
    return OperatingSystem(row.os) if row is not None else None


def _signs(pod: PodView, ctx: LintContext) -> Iterator[Sign]:
    """Every sign, the strongest first."""
    named = _BY_NAME.get(pod.os_name.lower())
    if named is not None:
        yield named, f"os.name is {pod.os_name}"
    if pod.is_host_process:
        yield OperatingSystem.WINDOWS, "HostProcess containers"
    yield from placement(pod, ctx)
    yield from _image_signs(pod)
    if _has_windows_options(pod):
        yield OperatingSystem.WINDOWS, "windowsOptions are set"
    if mapping(pod.metadata.get("annotations")).get(_HYPERV_ANNOTATION):
        yield OperatingSystem.WINDOWS, f"annotation {_HYPERV_ANNOTATION}"
    name = pod.spec.get("runtimeClassName")
    if isinstance(name, str) and ("windows" in name.lower() or "wcow" in name.lower()):
        yield OperatingSystem.WINDOWS, f"RuntimeClass {name}, by its name"


def _selector_signs(selector: Mapping[str, Any]) -> Iterator[Sign]:
    for key, value in selector.items():
        system = label_system(key, value)
        if system is not None:
            yield system, f"nodeSelector {key}={value}"


def _affinity_signs(spec: Mapping[str, Any]) -> Iterator[Sign]:
    terms = [_term_system(term) for term in _required_terms(spec)]
    if terms and terms[0] is not None and all(term is terms[0] for term in terms):
        yield terms[0], f"node affinity for {terms[0].value}"


def _required_terms(spec: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    affinity = mapping(mapping(spec.get("affinity")).get("nodeAffinity"))
    required = mapping(affinity.get("requiredDuringSchedulingIgnoredDuringExecution"))
    return [mapping(term) for term in sequence(required.get("nodeSelectorTerms"))]


def _term_system(term: Mapping[str, Any]) -> OperatingSystem | None:
    """The system all nodes of a term have; its expressions must all hold."""
    for expression in map(mapping, sequence(term.get("matchExpressions"))):
        key, operator = str(expression.get("key")), expression.get("operator")
        systems = {label_system(key, value) for value in sequence(expression.get("values"))}
        if key == BUILD_LABEL and operator in ("In", "Exists"):
            return OperatingSystem.WINDOWS
        if len(systems) != 1 or None in systems:
            continue
        system = systems.pop()
        if operator == "In":
            return system
        if operator == "NotIn" and key in OS_LABELS:
            others = {OperatingSystem.LINUX: OperatingSystem.WINDOWS}
            return others.get(system, OperatingSystem.LINUX) if system else None
    return None


def _image_signs(pod: PodView) -> Iterator[Sign]:
    for container in pod.containers:
        system = read_image(container.image).os if container.image else None
        if system is not None:
            yield system, f"image {container.image}"


def _has_windows_options(pod: PodView) -> bool:
    holders = (pod.spec, *(container.value for container in pod.containers))
    return any(windows_options(holder) for holder in holders)
