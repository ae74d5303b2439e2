"""The one door to a cluster: what can be asked of an API server, by group, version and kind.

`client` is the real server and `transom.testing.cluster` its twin in memory; one contract suite holds
both to the same answers. Objects go in and out as JSON has them; `api` makes values of them.
Refusals leave as the errors of `kube.errors`. Every wait has a deadline.
"""

from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, suppress
from dataclasses import field
from enum import Enum
from typing import Any, NamedTuple, Protocol

from transom.errors import PermanentError
from transom.kube.errors import Expired
from transom.model.manifest import Manifest, ObjectName
from transom.model.records import dataclass

FIELD_MANAGER = "transom"
# Objects per answer, so that no answer is large.
PAGE = 250
# A list that takes longer than the server keeps its version is begun again this often.
_BEGUN = 3


class Resource(NamedTuple):
    """Where a server offers the objects of a kind."""

    kind: str
    api_version: str
    plural: str
    namespaced: bool


# Kinds of every cluster, which need not be looked up.
CONFIG_MAP = Resource("ConfigMap", "v1", "configmaps", namespaced=True)
NODE = Resource("Node", "v1", "nodes", namespaced=False)
POD = Resource("Pod", "v1", "pods", namespaced=True)
SECRET = Resource("Secret", "v1", "secrets", namespaced=True)
SERVICE = Resource("Service", "v1", "services", namespaced=True)
DAEMON_SET = Resource("DaemonSet", "apps/v1", "daemonsets", namespaced=True)
ENDPOINT_SLICE = Resource("EndpointSlice", "discovery.k8s.io/v1", "endpointslices", namespaced=True)
LEASE = Resource("Lease", "coordination.k8s.io/v1", "leases", namespaced=True)
CERTIFICATE_REQUEST = Resource(
    "CertificateSigningRequest",
    "certificates.k8s.io/v1",
    "certificatesigningrequests",
    namespaced=False,
)
ROLE_BINDING = Resource(
    "ClusterRoleBinding", "rbac.authorization.k8s.io/v1", "clusterrolebindings", namespaced=False
)
KNOWN = {
    (item.api_version, item.kind): item
    for item in (
        *(CONFIG_MAP, NODE, POD, SECRET, SERVICE, DAEMON_SET, ENDPOINT_SLICE, LEASE),
        *(CERTIFICATE_REQUEST, ROLE_BINDING),
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Which objects of a kind: of one namespace or all, with these labels and fields."""

    namespace: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)


ALL = Selection()


class Page(NamedTuple):
    """Part of a list; `following` asks for the next part and is empty at the end."""

    items: tuple[Manifest, ...]
    version: str
    following: str = ""


class Listed(NamedTuple):
    """A whole list and its version, from which a watch goes on."""

    items: tuple[Manifest, ...]
    version: str


class Change(Enum):
    """What a watch reports; a bookmark only carries a newer version to go on from."""

    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"
    BOOKMARK = "BOOKMARK"


class Event(NamedTuple):
    """One change of a watched kind, with the object after it."""

    change: Change
    object: Manifest

    @property
    def version(self) -> str:
        """From where a watch goes on after this."""
        return str(self.object["metadata"]["resourceVersion"])


class Patch(Enum):
    """How a change is merged, as its media type."""

    MERGE = "application/merge-patch+json"
    STRATEGIC = "application/strategic-merge-patch+json"
    JSON = "application/json-patch+json"


class Propagation(Enum):
    """What becomes of the objects that a deleted one owns."""

    BACKGROUND = "Background"
    FOREGROUND = "Foreground"
    ORPHAN = "Orphan"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deletion:
    """How an object is deleted; only the one with `uid` and in `version`, where they are given."""

    uid: str = ""
    version: str = ""
    propagation: Propagation = Propagation.BACKGROUND
    grace_period_s: int | None = None


BACKGROUND = Deletion()


class Executed(NamedTuple):
    """What a program in a container answered."""

    code: int
    stdout: bytes
    stderr: bytes


class Tunnel(Protocol):
    """A connection to a port of a pod."""

    async def read(self, *, deadline_s: float) -> bytes:
        """What came next; empty at the end."""
        ...

    async def write(self, data: bytes) -> None:
        """Send."""
        ...


class Door(ABC):
    """A cluster."""

    server: str
    context: str

    @abstractmethod
    async def version(self) -> str:
        """What the API server runs, without a leading v."""

    @abstractmethod
    async def time(self) -> int:
        """The API server's clock, in seconds since the epoch."""

    @abstractmethod
    async def resource(self, api_version: str, kind: str) -> Resource | None:
        """Where the server offers a kind; None where it does not know it."""

    @abstractmethod
    async def resources(self, kinds: Iterable[str]) -> tuple[Resource, ...]:
        """Where the server offers kinds of whichever group; those it does not know are left out."""

    @abstractmethod
    async def get(self, name: ObjectName) -> Manifest | None:
        """An object, or None where there is none."""

    @abstractmethod
    async def page(
        self, resource: Resource, selection: Selection = ALL, *, limit: int, following: str = ""
    ) -> Page:
        """Part of a list; raise Expired where the list is too old to go on with."""

    @abstractmethod
    def watch(
        self, resource: Resource, since: str, selection: Selection = ALL, *, deadline_s: float = 300
    ) -> AsyncGenerator[Event, None]:
        """What changes after a version, until the deadline; raise Expired where it is too old.

        Close it (`contextlib.aclosing`) where you leave it early.
        """

    @abstractmethod
    async def create(self, manifest: Manifest) -> Manifest:
        """Make an object that is not there yet; raise AlreadyExists where it is."""

    @abstractmethod
    async def replace(self, manifest: Manifest, *, subresource: str = "") -> Manifest:
        """Have an object so; raise Conflict where it is not in the manifest's version."""

    @abstractmethod
    async def patch(
        self,
        name: ObjectName,
        change: Mapping[str, Any] | Sequence[Mapping[str, Any]],
        *,
        patch: Patch = Patch.MERGE,
        subresource: str = "",
    ) -> Manifest:
        """Change fields of an object; raise Conflict where the change names another version."""

    @abstractmethod
    async def apply(
        self,
        manifest: Manifest,
        *,
        dry_run: bool = False,
        force: bool = False,
        manager: str = FIELD_MANAGER,
        subresource: str = "",
    ) -> Manifest:
        """Have the fields of the manifest so; `force` takes them from others who own them.

        Raise FieldConflict where others own them and `force` is not given.
        """

    @abstractmethod
    async def delete(self, name: ObjectName, how: Deletion = BACKGROUND) -> bool:
        """Have no such object; False where there was none."""

    @abstractmethod
    async def evict(self, name: ObjectName, *, grace_period_s: int | None = None) -> None:
        """Ask a pod to leave; raise Throttled where a budget keeps it, NotFound where it is gone."""

    @abstractmethod
    async def logs(self, pod: ObjectName, *, container: str = "", tail: int | None = None) -> bytes:
        """The last lines that a container wrote."""

    @abstractmethod
    async def execute(
        self,
        pod: ObjectName,
        command: Sequence[str],
        *,
        container: str = "",
        stdin: bytes = b"",
        deadline_s: float = 60,
    ) -> Executed:
        """Run a program in a container to its end."""

    @abstractmethod
    def forward(self, pod: ObjectName, port: int) -> AbstractAsyncContextManager[Tunnel]:
        """A connection to a port of a pod."""

    @abstractmethod
    async def ask_kubelet(self, node: str, path: str) -> bytes:
        """What a Node's kubelet answers at a path such as `stats/summary`, through the API server."""

    @abstractmethod
    async def close(self) -> None:
        """End the connections."""

    async def serves(self, api_version: str, kind: str) -> bool:
        """Whether the server knows this kind."""
        return await self.resource(api_version, kind) is not None

    async def list(
        self, api_version: str, kind: str, *, labels: Mapping[str, str] | None = None
    ) -> tuple[Manifest, ...]:
        """The objects of a kind in all namespaces; none where the server does not know it."""
        resource = await self.resource(api_version, kind)
        if resource is None:
            return ()
        return (await self.listed(resource, Selection(labels=labels or {}))).items

    async def listed(self, resource: Resource, selection: Selection = ALL) -> Listed:
        """A whole list in one version."""
        for _ in range(_BEGUN - 1):
            with suppress(Expired):
                return await self._whole(resource, selection)
        return await self._whole(resource, selection)

    async def _whole(self, resource: Resource, selection: Selection) -> Listed:
        page = await self.page(resource, selection, limit=PAGE)
        items = [*page.items]
        while page.following:
            page = await self.page(resource, selection, limit=PAGE, following=page.following)
            items += page.items
        return Listed(tuple(items), page.version)

    async def objects(self, resource: Resource, *, namespace: str = "") -> AsyncIterator[Manifest]:
        """The objects of a kind, page by page, so that a large cluster is never held in memory.

        Where the server forgets the version meanwhile, the rest is of a newer one.
        """
        selection, following = Selection(namespace=namespace), ""
        while True:
            try:
                page = await self.page(resource, selection, limit=PAGE, following=following)
            except Expired as error:
                if not error.following or error.following == following:
                    raise
                following = error.following
                continue
            for item in page.items:
                yield item
            following = page.following
            if not following:
                return


def not_served(name: ObjectName) -> PermanentError:
    """The error of a kind that the server does not know."""
    return PermanentError(
        f"the cluster has no kind {name.kind} of {name.api_version}",
        subject=str(name),
        hint="install what brings it (its custom resource definitions) first",
    )
