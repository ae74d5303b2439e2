"""A check on a node: what is known of both, decided from what was read. Pure."""

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Any

from transom.facts import rows
from transom.facts.addons import AddonImage
from transom.facts.gates import Gate, state
from transom.facts.rows import At
from transom.facts.verify import Expected, TestImage
from transom.model.fleet import NetworkMode
from transom.model.image_reference import Reference
from transom.model.records import dataclass
from transom.model.version import Version
from transom.verify.check import NotProven
from transom.workload.image import runs_on

WINDOWS, LINUX = "windows", "linux"


class Isolation(StrEnum):
    """How the pods of checks are kept apart from the node."""

    PROCESS = "process"
    HYPERV = "hyperv"
    HOST_PROCESS = "hostprocess"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeFacts:
    """A node as checks need it; `config` is what its kubelet runs with, empty where it does not say so."""

    name: str
    system: str
    ready: bool = True
    problem: str = ""
    unschedulable: bool = False
    build: int = 0
    revision: str = ""
    kubelet: str = ""
    runtime: str = ""
    boot: str = ""
    address: str = ""
    capacity: Mapping[str, str] = field(default_factory=dict)
    allocatable: Mapping[str, str] = field(default_factory=dict)
    conditions: Mapping[str, str] = field(default_factory=dict)
    config: Mapping[str, Any] = field(default_factory=dict)

    @property
    def kind(self) -> tuple[str, ...]:
        """What makes nodes alike."""
        return (str(self.build), self.revision, self.kubelet, self.runtime)

    @property
    def containerd(self) -> Version | None:
        """The version of containerd, where that is what runs containers."""
        name, _, text = self.runtime.partition("://")
        try:
            return Version.parse(text) if name == "containerd" else None
        except ValueError:
            return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What the person who runs checks says about them.

    `images` are by the name of a test program, or by the image that the facts name.
    """

    isolation: Isolation = Isolation.PROCESS
    image_repository: str = ""
    images: Mapping[str, str] = field(default_factory=dict)
    egress: str = ""
    gmsa: str = ""
    patience_factor: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """The cluster, read once."""

    version: str
    nodes: tuple[NodeFacts, ...]
    wish: Wish = Wish()
    mode: NetworkMode | None = None
    network: str = ""
    provider: str = ""
    runtime_classes: Mapping[str, str] = field(default_factory=dict)
    cluster_dns: str = ""
    kinds: frozenset[str] = frozenset()

    @property
    def kubernetes(self) -> Version:
        """The API server's version."""
        return Version.parse(self.version)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One check's place: a namespace of its own, for one node."""

    setting: Setting
    node: NodeFacts
    namespace: str = "NAMESPACE"

    def without_gate(self, name: str) -> str:
        """Why a feature is not there; empty where it is on by default."""
        gate, version = rows.one(Gate, name, At()), self.setting.kubernetes
        is_kept = bool(gate.ga and gate.removed) and version >= Version.parse(gate.removed)
        if is_kept or state(gate, version).on:
            return ""
        return f"Kubernetes {self.setting.version} has the feature gate {name} off"

    def expected(self, name: str) -> str:
        """A value of the facts."""
        return rows.one(Expected, f"expected-{name}", At()).value

    def host_process_image(self) -> str:
        """The image that fits every Windows build."""
        at = At(kubernetes=self.setting.kubernetes)
        return self._placed("hostprocess", rows.one(AddonImage, "image-hostprocess-base", at).image)

    def image(self, name: str, *, system: str = WINDOWS) -> str:
        """A test program's image for the node; raise NotProven where none has a build that it runs."""
        row = rows.find(TestImage, f"test-image-{name}", At(build=self.node.build or None))
        if row is None:
            raise NotProven(f"no image of {name} is known for Windows build {self.node.build}")
        is_isolated = self.setting.wish.isolation is Isolation.PROCESS
        builds = ", ".join(map(str, row.builds))
        if system == WINDOWS and is_isolated and not self._runs_one_of(row.builds):
            raise NotProven(
                f"{row.image} has Windows builds {builds}, and the node runs none of them "
                f"(build {self.node.build}, {self.node.runtime})"
            )
        return self._placed(name, row.image)

    def _runs_one_of(self, builds: tuple[int, ...]) -> bool:
        if not builds or not self.node.build:
            return True
        return any(runs_on(build, self.node.build, self.node.containerd) for build in builds)

    def _placed(self, name: str, image: str) -> str:
        """An image as it was given by name, or by its lock's digest at the repository that was named."""
        wish = self.setting.wish
        if name in wish.images:
            return wish.images[name]
        given = wish.images.get(image, image)
        if not wish.image_repository:
            return given
        parts = Reference.parse(given)
        mark = "@" if parts.tag.startswith("sha256:") else ":"
        last = parts.repository.rpartition("/")[2]
        return f"{wish.image_repository.rstrip('/')}/{last}{mark}{parts.tag}"

    def others(self, system: str) -> tuple[NodeFacts, ...]:
        """The other nodes of a system that take pods."""
        return tuple(
            node
            for node in self.setting.nodes
            if node.system == system
            and node.name != self.node.name
            and node.ready
            and not node.unschedulable
        )

    def peer(self, system: str) -> NodeFacts:
        """Another node of a system; raise NotProven where there is none."""
        found = self.others(system)
        if not found:
            raise NotProven(f"the cluster has no other {system} node that is Ready and takes pods")
        return found[0]

    def runtime_class(self, handler: str) -> str:
        """A RuntimeClass with that handler; empty where the cluster has none."""
        named = self.setting.runtime_classes.items()
        return next((name for name, found in named if found == handler), "")
