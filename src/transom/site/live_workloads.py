"""Workloads of a live cluster: what the cluster says about itself, and its objects through the rules.

Reads only, page by page. What the user may not see is noted, and the rest goes on.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from transom.errors import PermanentError
from transom.model.fleet import FLANNEL_MODES
from transom.model.problem import Mistake
from transom.report import policyreport
from transom.workload.cluster_signs import KINDS, ClusterSigns, forbids_privileged, signs_in
from transom.workload.linting.run import Job, Part, lint_documents
from transom.workload.pods import POD_TEMPLATES, ObjectView, mapping, objects_in, sequence
from transom.yamlio.document import Document, Position

if TYPE_CHECKING:
    from transom.kube.door import Door, Resource

NAME = "cluster"

_OTHERS = (
    "Service",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "NetworkPolicy",
    "HorizontalPodAutoscaler",
    "VerticalPodAutoscaler",
    "Node",
)
_FLANNEL = "kube-flannel-cfg"
_API_SERVER = ("kube-system", "kube-apiserver")
# Flannel's backends, and the mode of a Windows network that is meant by each.


class About(NamedTuple):
    """What a cluster says about itself; `unknown` is what the user may not see."""

    version: str
    signs: ClusterSigns
    network_mode: str = ""
    privileged_forbidden: bool = False
    unknown: tuple[Mistake, ...] = ()


class LiveDocument(Document):
    """A live object: it has no text, so that nothing in it has a place."""

    def __init__(self, value: Mapping[str, Any]) -> None:
        (view,) = objects_in(value)
        name = "/".join(part for part in (NAME, view.namespace, view.kind, view.name) if part)
        super().__init__(value, name=name, index=0, text=b"", first_line=0)

    def locate(self, path: Sequence[str | int], *, key: bool = False) -> Position:
        """Nowhere."""
        del path, key
        return Position(0, 0)


async def read_about(lister: "Door") -> About:
    """Read what decides which rules hold."""
    unknown: list[Mistake] = []
    views: list[ObjectView] = []
    version = await lister.version()
    for resource in await lister.resources(KINDS):
        views += await _views(lister, resource, unknown)
    mode, forbidden = "", False
    for resource in await lister.resources(("ConfigMap",)):
        for namespace in ("kube-flannel", "kube-system"):
            found = await _views(lister, resource, unknown, namespace=namespace)
            mode = mode or next(filter(None, map(_network_mode, found)), "")
    for resource in await lister.resources(("Pod",)):
        namespace, name = _API_SERVER
        found = await _views(lister, resource, unknown, namespace=namespace)
        forbidden = any(view.name.startswith(name) and forbids_privileged(view) for view in found)
    return About(version, signs_in(views), mode, forbidden, tuple(unknown))


async def lint_live(
    lister: "Door", job: Job, take: Callable[[Part], None], *, namespace: str = ""
) -> int:
    """Lint what the cluster holds, hand the parts over, and give the number of objects.

    What a controller made is left out: its controller is linted. One namespace has no objects of
    the whole cluster.
    """
    linter = job.linter()
    kinds = dict.fromkeys((*POD_TEMPLATES, *job.templates, *_OTHERS))
    resources = await lister.resources(kinds)
    listed = {resource.kind for resource in resources}
    count = 0
    for resource in resources:
        if namespace and not resource.namespaced:
            continue
        part = Part()
        try:
            async for value in lister.objects(resource, namespace=namespace):
                if not _is_made_by(value, listed):
                    lint_documents([LiveDocument(value)], job, linter, part)
                    count += 1
        except PermanentError as error:
            part.unreadable.append(_unreadable(resource, error))
        take(part)
    return count


async def standing_reports(
    lister: "Door", take: Callable[[Mistake], None], *, namespace: str = ""
) -> list[tuple[str, str]]:
    """Namespace and name of the PolicyReports that earlier runs left; what may not be seen is noted."""
    found: list[tuple[str, str]] = []
    for resource in await lister.resources(policyreport.KINDS):
        if resource.api_version != policyreport.API_VERSION:
            continue
        if namespace and not resource.namespaced:
            continue
        try:
            async for value in lister.objects(resource, namespace=namespace):
                about = mapping(value.get("metadata"))
                name, labels = str(about.get("name", "")), mapping(about.get("labels"))
                is_ours = labels.get(policyreport.MANAGED_BY) == policyreport.MANAGER
                if is_ours and name.startswith(policyreport.NAME):
                    found.append((str(about.get("namespace", "")), name))
        except PermanentError as error:
            take(_unreadable(resource, error))
    return found


async def _views(
    lister: "Door", resource: "Resource", unknown: list[Mistake], *, namespace: str = ""
) -> list[ObjectView]:
    found: list[ObjectView] = []
    try:
        async for value in lister.objects(resource, namespace=namespace):
            found += objects_in(value)
    except PermanentError as error:
        unknown.append(_unreadable(resource, error))
    return found


def _unreadable(resource: "Resource", error: PermanentError) -> Mistake:
    hint = error.hint or "Ask for the right to list them."
    return Mistake(error.message, hint=hint, file=f"{NAME}/{resource.plural}")


def _is_made_by(value: Mapping[str, Any], kinds: set[str]) -> bool:
    owners = map(mapping, sequence(mapping(value.get("metadata")).get("ownerReferences")))
    return any(owner.get("controller") is True and owner.get("kind") in kinds for owner in owners)


def _network_mode(view: ObjectView) -> str:
    if view.name != _FLANNEL:
        return ""
    try:
        network = json.loads(mapping(view.value.get("data")).get("net-conf.json") or "")
    except (TypeError, ValueError):
        return ""
    return FLANNEL_MODES.get(str(mapping(mapping(network).get("Backend")).get("Type")), "")
