"""What the rules are told about the cluster that the workloads are meant for.

Made by the command line from options or a fleet, and by admission from its settings. The rules
read it and nothing else beside the object.
"""

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from transom.facts.rows import At, read, rows
from transom.facts.windows import Release, Support
from transom.model.version import Version, VersionRange

if TYPE_CHECKING:
    from transom.model.taint import Taint


class OperatingSystem(Enum):
    """What a pod is for."""

    WINDOWS = "windows"
    LINUX = "linux"


class LintContext(NamedTuple):
    """The cluster. What is unknown is None or empty, and then no rule speaks about it.

    `assume` is the system of pods that say nothing; `mixed` that Linux and Windows nodes live in
    one cluster. `gates` holds feature gates set against their default, `pod_security` the level
    that a namespace enforces (of the empty name: that all others do), `runtime_classes` the system
    a RuntimeClass leads to and `class_builds` the Windows builds, `default_limits` the resources that a namespace
    gives containers a limit of, `privileged_forbidden` that the API server takes no privileged pods, and `today` the date by which support has ended or not.
    """

    kubernetes: Version
    builds: tuple[int, ...] = ()
    network_mode: str = ""
    containerd: Version | None = None
    docker: bool = False
    gates: Mapping[str, bool] = {}
    taints: "tuple[Taint, ...]" = ()
    mixed: bool = False
    assume: OperatingSystem | None = None
    pod_security: Mapping[str, str] = {}
    runtime_classes: Mapping[str, OperatingSystem] = {}
    class_builds: Mapping[str, tuple[int, ...]] = {}
    default_limits: Mapping[str, frozenset[str]] = {}
    privileged_forbidden: bool = False
    today: str = ""

    def beside(self, other: "LintContext") -> "LintContext":
        """This cluster, with the classes and levels that were seen for another."""
        return self._replace(
            runtime_classes=other.runtime_classes,
            class_builds=other.class_builds,
            default_limits=other.default_limits,
            pod_security={**other.pod_security, **self.pod_security},
        )

    def possible_builds(self) -> tuple[int, ...]:
        """The builds of the nodes, or all that this Kubernetes supports where none was named."""
        return self.builds or self.supported_builds()

    def supported_builds(self) -> tuple[int, ...]:
        """The builds that this Kubernetes supports."""
        found = rows(Support, At(kubernetes=self.kubernetes))
        return tuple(sorted({build for row in found for build in row.builds}))

    def containerd_minimums(self) -> tuple[str, ...]:
        """The least containerd of each series that this Kubernetes supports."""
        found = rows(Support, At(kubernetes=self.kubernetes))
        return tuple(text for row in found for text in row.containerd_minimums)

    def pod_security_of(self, namespace: str) -> str:
        """The Pod Security level that a namespace enforces, empty where it is not known."""
        return self.pod_security.get(namespace) or self.pod_security.get("", "")


def newest_kubernetes() -> Version:
    """The newest minor the facts know: what is meant where no version is named."""
    starts = (VersionRange.parse(row.kubernetes).since for row in read(Support))
    return max(since for since in starts if since is not None)


def build_of_release(name: str) -> int | None:
    """The build of a release by any of its names, such as 2022, ltsc2022 or 20348."""
    for release in read(Release):
        if name.lower() in (
            release.id.lower(),
            str(release.build),
            *(alias.lower() for alias in release.aliases),
        ):
            return release.build
    return None
