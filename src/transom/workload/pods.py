"""What rules look at: objects, the pods in them, and the absolute path of everything.

Made by the engine from loaded documents, and by admission from a request. A view never changes
what it shows.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from transom.workload.context import OperatingSystem
from transom.workload.paths import ObjectPath

# Where each kind keeps its pod; a Pod is one itself.
POD_TEMPLATES: dict[str, ObjectPath] = {
    "Pod": (),
    "PodTemplate": ("template",),
    "Deployment": ("spec", "template"),
    "DaemonSet": ("spec", "template"),
    "ReplicaSet": ("spec", "template"),
    "ReplicationController": ("spec", "template"),
    "StatefulSet": ("spec", "template"),
    "Job": ("spec", "template"),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
}

# The API groups whose kinds are meant; others, such as Volcano's Job, only share the name.
_GROUPS: dict[str, frozenset[str]] = {
    **dict.fromkeys(
        ("Pod", "PodTemplate", "ReplicationController", "Service", "Namespace", "Node"),
        frozenset({""}),
    ),
    **dict.fromkeys(("PersistentVolume", "PersistentVolumeClaim"), frozenset({""})),
    **dict.fromkeys(
        ("Deployment", "DaemonSet", "ReplicaSet", "StatefulSet"),
        frozenset({"apps", "extensions"}),
    ),
    **dict.fromkeys(("Job", "CronJob"), frozenset({"batch"})),
    "HorizontalPodAutoscaler": frozenset({"autoscaling"}),
    "VerticalPodAutoscaler": frozenset({"autoscaling.k8s.io"}),
    "NetworkPolicy": frozenset({"networking.k8s.io", "extensions"}),
    "PodSecurityPolicy": frozenset({"policy", "extensions"}),
    "RuntimeClass": frozenset({"node.k8s.io"}),
    "StorageClass": frozenset({"storage.k8s.io"}),
}

CONTAINER_LISTS = ("initContainers", "containers", "ephemeralContainers")


class ObjectView(NamedTuple):
    """One Kubernetes object, and where it begins in its document."""

    value: Mapping[str, Any]
    path: ObjectPath
    kind: str
    namespace: str
    name: str

    @property
    def api_version(self) -> str:
        """The group and version it is written in."""
        return str(self.value.get("apiVersion", ""))

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The object's metadata."""
        return mapping(self.value.get("metadata"))

    @property
    def is_partial(self) -> bool:
        """Whether it is a patch or a fragment: a workload without a whole pod in it."""
        place = POD_TEMPLATES.get(self.kind)
        if place is None:
            return False
        value: Any = self.value
        for step in place:
            value = mapping(value).get(str(step))
        containers = sequence(mapping(mapping(value).get("spec")).get("containers"))
        return "$patch" in self.value or not containers or not all(map(_is_whole, containers))


class ContainerView(NamedTuple):
    """One container of a pod; `section` is the list it is in."""

    value: Mapping[str, Any]
    path: ObjectPath
    section: str

    @property
    def image(self) -> str:
        """The image's name, empty where there is none."""
        image = self.value.get("image")
        return image if isinstance(image, str) else ""


class PodView:
    """A pod or pod template, with its system decided once.

    `path` is where the pod begins: `spec.containers` of a Deployment's pod is at
    `(*path, "spec", "containers")`. `os` is None where nothing says what the pod is for.
    """

    __slots__ = (
        "containers",
        "evidence",
        "is_host_process",
        "metadata",
        "object",
        "os",
        "os_name",
        "path",
        "spec",
        "value",
    )

    def __init__(self, owner: ObjectView, value: Mapping[str, Any], path: ObjectPath) -> None:
        self.object = owner
        self.value = value
        self.path = path
        self.spec = mapping(value.get("spec"))
        self.metadata = mapping(value.get("metadata"))
        self.containers = tuple(_containers(self.spec, (*path, "spec")))
        os_name = mapping(self.spec.get("os")).get("name")
        self.os_name: str = os_name if isinstance(os_name, str) else ""
        self.is_host_process = any(
            self.effective_windows_option(container, "hostProcess") is True
            for container in self.containers
        )
        self.os: OperatingSystem | None = None
        self.evidence: tuple[str, ...] = ()

    @property
    def is_partial(self) -> bool:
        """Whether it is part of a patch or a fragment, so that nothing in it can be missing."""
        containers = sequence(self.spec.get("containers"))
        return not containers or not all(map(_is_whole, containers))

    @property
    def is_windows(self) -> bool:
        """Whether the pod is known to be for Windows."""
        return self.os is OperatingSystem.WINDOWS

    def spec_path(self, *steps: str | int) -> ObjectPath:
        """The absolute path of something below the pod's spec."""
        return (*self.path, "spec", *steps)

    def windows_option(self, name: str) -> Any:
        """What the pod itself sets in securityContext.windowsOptions."""
        return windows_options(self.spec).get(name)

    def effective_windows_option(self, container: ContainerView, name: str) -> Any:
        """What a container gets: its own value, else the pod's."""
        own = windows_options(container.value).get(name)
        return self.windows_option(name) if own is None else own


def _is_whole(container: Any) -> bool:
    """Whether a container says what it runs; the API server takes none without."""
    return bool(mapping(container).get("image"))


def windows_options(holder: Mapping[str, Any]) -> Mapping[str, Any]:
    """The windowsOptions in the securityContext of a pod's spec or a container."""
    return mapping(mapping(holder.get("securityContext")).get("windowsOptions"))


def mapping(value: Any) -> Mapping[str, Any]:
    """The value where it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}


def sequence(value: Any) -> Sequence[Any]:
    """The value where it is a list, else an empty one."""
    return value if isinstance(value, list) else ()


def objects_in(value: Any, path: ObjectPath = ()) -> Iterator[ObjectView]:
    """The objects of a document: itself, or the items of a list of any depth."""
    if not isinstance(value, dict):
        return
    kind, api_version = value.get("kind"), value.get("apiVersion")
    if not isinstance(kind, str) or not isinstance(api_version, str) or not api_version:
        return
    items = value.get("items")
    if kind.endswith("List") and isinstance(items, list):
        for index, item in enumerate(items):
            yield from objects_in(item, (*path, "items", index))
        return
    group = api_version.rpartition("/")[0]
    if group not in _GROUPS.get(kind, (group,)):
        kind = f"{kind}.{group}"
    metadata = mapping(value.get("metadata"))
    namespace, name = metadata.get("namespace"), metadata.get("name")
    yield ObjectView(
        value,
        path,
        kind,
        namespace if isinstance(namespace, str) else "",
        name if isinstance(name, str) else "",
    )


def pods_in(
    view: ObjectView, templates: Mapping[str, Sequence[ObjectPath]] | None = None
) -> Iterator[PodView]:
    """The pods of an object; `templates` says where further kinds keep theirs."""
    known = POD_TEMPLATES.get(view.kind)
    places = [known] if known is not None else (templates or {}).get(view.kind, ())
    for place in places:
        value: Any = view.value
        for step in place:
            value = mapping(value).get(str(step))
        if isinstance(value, dict):
            yield PodView(view, value, (*view.path, *place))


def _containers(spec: Mapping[str, Any], path: ObjectPath) -> Iterator[ContainerView]:
    for section in CONTAINER_LISTS:
        for index, value in enumerate(sequence(spec.get(section))):
            if isinstance(value, dict):
                yield ContainerView(value, (*path, section, index), section)
