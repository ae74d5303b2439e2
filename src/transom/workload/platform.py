"""The system a pod is for, decided once, with the evidence.

Called by the engine for every pod before any rule runs. The strongest sign decides; the weaker
ones are kept as evidence only where they agree.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

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


def _tolerates(toleration: Mapping[str, Any], taint: "Taint") -> bool:
    if toleration.get("effect") not in (None, "", taint.effect):
        return False
    if toleration.get("operator") == "Exists":
        return toleration.get("key") in (None, "", taint.key)
    return toleration.get("key") == taint.key and toleration.get("value", "") == taint.value


def pinned_build(pod: PodView) -> int | None:
    """The build that the pod's selector pins, if it pins one."""
    value = mapping(pod.spec.get("nodeSelector")).get(BUILD_LABEL)
    last = str(value or "").rpartition(".")[2]
    return int(last) if last.isdecimal() else None


def pins_build(pod: PodView) -> bool:
    """Whether the selector or a required affinity of the pod names a build."""
    if pinned_build(pod) is not None:
        return True
    terms = _required_terms(pod.spec)
    return bool(terms) and all(
        any(
            expression.get("key") == BUILD_LABEL and expression.get("operator") == "In"
            for expression in map(mapping, sequence(term.get("matchExpressions")))
        )
        for term in terms
    )


def _signs(pod: PodView, ctx: LintContext) -> Iterator[Sign]:
    """Every sign, the strongest first."""
    if pod.os_name in _BY_NAME:
        yield _BY_NAME[pod.os_name], f"os.name is {pod.os_name}"
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
    yield from _toleration_signs(pod)


def _selector_signs(selector: Mapping[str, Any]) -> Iterator[Sign]:
    for label in OS_LABELS:
        system = _BY_NAME.get(str(selector.get(label)))
        if system is not None:
            yield system, f"nodeSelector {label}={system.value}"
    if selector.get(BUILD_LABEL):
        yield OperatingSystem.WINDOWS, f"nodeSelector {BUILD_LABEL}"


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
        values = sequence(expression.get("values"))
        if expression.get("key") == BUILD_LABEL and expression.get("operator") in ("In", "Exists"):
            return OperatingSystem.WINDOWS
        if expression.get("key") not in OS_LABELS or len(values) != 1:
            continue
        system = _BY_NAME.get(str(values[0]))
        if system is not None and expression.get("operator") == "In":
            return system
        if system is OperatingSystem.LINUX and expression.get("operator") == "NotIn":
            return OperatingSystem.WINDOWS
        if system is OperatingSystem.WINDOWS and expression.get("operator") == "NotIn":
            return OperatingSystem.LINUX
    return None


def _image_signs(pod: PodView) -> Iterator[Sign]:
    for container in pod.containers:
        system = read_image(container.image).os if container.image else None
        if system is not None:
            yield system, f"image {container.image}"


def _has_windows_options(pod: PodView) -> bool:
    holders = (pod.spec, *(container.value for container in pod.containers))
    return any(windows_options(holder) for holder in holders)


def _toleration_signs(pod: PodView) -> Iterator[Sign]:
    for toleration in map(mapping, sequence(pod.spec.get("tolerations"))):
        if str(toleration.get("value")).lower() == OperatingSystem.WINDOWS.value:
            yield OperatingSystem.WINDOWS, f"toleration {toleration.get('key')}=windows"
