"""Which rule has which fix: the edits that end an offence, and whether they are safe.

A fix is safe where the field it takes away could do nothing on Windows, or where nothing else is
accepted there; it is unsafe where a person should say what they meant. Read by `fix`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from transom.facts.removed import RemovedApi
from transom.facts.rows import read
from transom.model.records import dataclass
from transom.workload.context import LintContext, OperatingSystem
from transom.workload.image import read_image
from transom.workload.paths import ObjectPath
from transom.workload.platform import placement
from transom.workload.pods import ObjectView, PodView, mapping
from transom.workload.rule import Hit
from transom.yamlio.editing import Append, Edit, Remove, Rename, Replace, Set

if TYPE_CHECKING:
    from transom.model.taint import Taint

OS_LABEL = "kubernetes.io/os"
WINDOWS = OperatingSystem.WINDOWS.value

# Kinds whose fields are the same in every version that ever served them.
_SAME_SHAPE = frozenset({"CronJob", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"})
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")


@dataclass(frozen=True, slots=True)
class Offence:
    """One place where an object or a pod in it offends a rule, as a remedy sees it."""

    view: ObjectView
    hit: Hit
    value: Any
    ctx: LintContext
    in_pod: PodView | None = None

    @property
    def path(self) -> ObjectPath:
        """The place."""
        return self.hit.path

    @property
    def pod(self) -> PodView:
        """The pod, for rules about pods."""
        assert self.in_pod is not None
        return self.in_pod


def _always(_offence: Offence) -> bool:
    return True


def _never(_offence: Offence) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Remedy:
    """The edits that end an offence; none where this one has no remedy. `what` is for people."""

    what: str
    edits: Callable[[Offence], Sequence[Edit]]
    is_safe: Callable[[Offence], bool] = _always


def is_certain(pod: PodView, ctx: LintContext) -> bool:
    """Whether a pod is for Windows by more than a hint such as a toleration."""
    systems = {read_image(container.image).os for container in pod.containers}
    return (
        pod.os_name == WINDOWS
        or pod.is_host_process
        or any(system is OperatingSystem.WINDOWS for system, _ in placement(pod, ctx))
        or systems == {OperatingSystem.WINDOWS}
    )


def _is_certain(offence: Offence) -> bool:
    return is_certain(offence.pod, offence.ctx)


def _remove(offence: Offence) -> Sequence[Edit]:
    return (Remove(offence.path),)


def _replace(value: str) -> Callable[[Offence], Sequence[Edit]]:
    return lambda offence: (Replace(offence.path, value),)


def _to_mebibytes(offence: Offence) -> Sequence[Edit]:
    text = str(offence.value)
    return (Replace(offence.path, f"{text[:-1]}Mi"),) if text[:-1].isdigit() else ()


def _to_underscores(offence: Offence) -> Sequence[Edit]:
    return (Replace(offence.path, str(offence.value).replace(":", "__")),)


def _to_stable_label(offence: Offence) -> Sequence[Edit]:
    selector = mapping(offence.pod.spec.get("nodeSelector"))
    if selector.get(OS_LABEL) == offence.value:
        return (Remove(offence.path),)
    return () if OS_LABEL in selector else (Rename(offence.path, OS_LABEL),)


def _name_the_system(offence: Offence) -> Sequence[Edit]:
    return (Set(offence.pod.spec_path("os", "name"), WINDOWS),)


def _select_the_system(offence: Offence) -> Sequence[Edit]:
    if not offence.pod.is_windows:
        return ()
    return (Set(offence.pod.spec_path("nodeSelector", OS_LABEL), WINDOWS),)


def _select_linux(offence: Offence) -> Sequence[Edit]:
    selector = mapping(offence.pod.spec.get("nodeSelector"))
    if OS_LABEL in selector:
        return ()
    return (Set(offence.pod.spec_path("nodeSelector", OS_LABEL), OperatingSystem.LINUX.value),)


def _is_for_linux(offence: Offence) -> bool:
    return offence.pod.os is OperatingSystem.LINUX


def _tolerate(offence: Offence) -> Sequence[Edit]:
    return tuple(
        Append(offence.pod.spec_path("tolerations"), toleration(taint))
        for taint in offence.ctx.taints
        if offence.hit.found == f"{taint.key}={taint.value}:{taint.effect}"
    )


def toleration(taint: "Taint") -> dict[str, str]:
    """What a pod needs to run on nodes with that taint."""
    exact = {"operator": "Equal", "value": taint.value} if taint.value else {"operator": "Exists"}
    return {"key": taint.key, **exact, "effect": taint.effect.value}


def _use_the_version_served(offence: Offence) -> Sequence[Edit]:
    """Only where the kind has kept its shape; the selector it lacks is another rule's."""
    if offence.view.kind not in _SAME_SHAPE:
        return ()
    replacements = (
        row.replacement.partition(",")[0]
        for row in read(RemovedApi)
        if row.api_version == offence.value and offence.view.kind in row.object_kinds
    )
    return tuple(Replace(offence.path, version) for version in replacements)


def _select_the_template(offence: Offence) -> Sequence[Edit]:
    """The selector that the API server filled in itself while it served the old versions."""
    template = mapping(mapping(offence.view.value.get("spec")).get("template"))
    labels = mapping(mapping(template.get("metadata")).get("labels"))
    if not labels:
        return ()
    return (Set((*offence.view.path, "spec", "selector"), {"matchLabels": dict(labels)}),)


def _to_lower_case(offence: Offence) -> Sequence[Edit]:
    text = str(offence.value).lower().replace("_", "-")
    return (Replace(offence.path, text),) if _SUBDOMAIN.fullmatch(text) else ()


def _use_the_host_network(offence: Offence) -> Sequence[Edit]:
    return (Set(offence.pod.spec_path("hostNetwork"), True),)


def _has_own_network(offence: Offence) -> bool:
    """Without the host's network both policies mean the same to the kubelet."""
    return offence.pod.spec.get("hostNetwork") is not True


_REMOVED = Remedy("removed", _remove)
_GIVEN_UP = Remedy("removed", _remove, _never)

# Removed without loss: the API server refuses the field on Windows, or nothing there reads it.
_WITHOUT_EFFECT = (
    *("WIN001", "WIN002", "WIN003", "WIN004", "WIN005", "WIN006", "WIN007", "WIN008", "WIN009"),
    *("WIN010", "WIN012", "WIN013", "WIN014", "WIN015", "WIN017"),
    *("WIN020", "WIN021", "WIN022", "WIN023", "WIN024", "WIN025", "WIN026", "WIN027", "WIN029"),
    *("WIN094", "WIN103", "WIN120", "WIN121", "WIN123", "WIN127", "WIN140", "WIN141", "WIN142"),
)
# Somebody relied on these: a user, limits, a kind of file.
_WITH_INTENT = ("WIN011", "WIN016", "WIN028", "WIN059", "WIN131")

REMEDIES: Mapping[str, Remedy] = {
    **dict.fromkeys(_WITHOUT_EFFECT, _REMOVED),
    **dict.fromkeys(_WITH_INTENT, _GIVEN_UP),
    "WIN030": Remedy("set to SIGTERM", _replace("SIGTERM"), _never),
    "WIN042": Remedy("os.name set to windows", _name_the_system, _is_certain),
    "WIN051": Remedy("hostNetwork set to true", _use_the_host_network),
    "WIN070": Remedy("node selector added", _select_the_system, _is_certain),
    "WIN071": Remedy("renamed to kubernetes.io/os", _to_stable_label),
    "WIN072": Remedy("toleration added", _tolerate),
    "WIN077": Remedy("node selector for Linux added", _select_linux, _is_for_linux),
    "WIN081": Remedy("set to ClusterFirst", _replace("ClusterFirst"), _has_own_network),
    "WIN092": Remedy("colons replaced by two underscores", _to_underscores, _never),
    "WIN105": Remedy("milli replaced by mebibytes", _to_mebibytes, _never),
    "WIN125": Remedy("set to IfPossible", _replace("IfPossible"), _never),
    "WIN209": Remedy("set to the version that is served", _use_the_version_served),
    "WIN210": Remedy("selector of the template's labels added", _select_the_template),
    "WIN211": Remedy("written in lower case", _to_lower_case, _never),
}
# These turn the API server's checks on, so they come last and only where nothing would offend.
LAST = frozenset({"WIN042"})
# Pod Security restricted demands these fields of every pod without os.name.
DEMANDED = frozenset({"WIN006", "WIN021", "WIN023", "WIN026"})


def safety(remedy: Remedy) -> str:
    """Whether a fix needs --unsafe: yes, no, or it depends on the pod."""
    if remedy.is_safe is _always:
        return "yes"
    return "no" if remedy.is_safe is _never else "depends"
