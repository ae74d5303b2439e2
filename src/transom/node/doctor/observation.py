"""What was seen of a host, as plain values: all that a diagnosis may look at.

Made by `observe` it has the host's own words, secrets among them, and must not be printed or sent;
read back from what `collect` wrote it has none.
"""

import ntpath
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from transom.model.api_versions import written
from transom.model.recipe import Recipe
from transom.model.records import dataclass
from transom.model.sight import ClusterSight
from transom.node.host.quoting import split_arguments

RUNNING, STOPPED, ABSENT = "running", "stopped", "absent"
COMING = ("starting", "continuing")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSeen:
    """A service as it is stored and as it is now."""

    name: str
    command: str
    start: str
    depends_on: tuple[str, ...]
    environment: tuple[str, ...]
    state: str
    exit_code: int

    @property
    def arguments(self) -> tuple[str, ...]:
        """Its command line, split."""
        return split_arguments(self.command)

    def option(self, name: str) -> str | None:
        """The value of an option of its command line, given as one word or as two."""
        words = self.arguments
        for number, word in enumerate(words):
            flag, assigned, value = word.partition("=")
            if flag.lstrip("-") == name and word.startswith("-"):
                return value if assigned else next(iter(words[number + 1 : number + 2]), "")
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSeen:
    """The last lines of the log that a service writes."""

    service: str
    path: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PathSeen:
    """A file or directory: who may reach it, and its hash where the recipe names one."""

    path: str
    kind: str
    acl: str = ""
    sha256: str = ""
    wanted_sha256: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateSeen:
    """A certificate's holder and the time it is good for, in seconds since the epoch."""

    path: str
    subject: str
    issuer: str
    not_before: int
    not_after: int


@dataclass(frozen=True, slots=True, kw_only=True)
class VolumeSeen:
    """Room on a volume."""

    path: str
    free_bytes: int
    total_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteSeen:
    """A route that matters: whether it is in use, and the gateway it is stored with."""

    prefix: str
    active: bool
    gateway: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HnsSeen:
    """What the host network service has; `problem` says why it could not be asked.

    `read` is whether its answer could be read, `settled` whether endpoints and balancers are of one
    moment: only then can they be compared.
    """

    networks: tuple[Mapping[str, Any], ...] = ()
    endpoints: tuple[Mapping[str, Any], ...] = ()
    balancers: tuple[Mapping[str, Any], ...] = ()
    problem: str = ""
    settled: bool = True
    read: bool = True

    @property
    def is_known(self) -> bool:
        """Whether what is not here is not on the host either."""
        return self.read and not self.problem


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalSeen:
    """What the journal says; `problem` says why it could not be read."""

    present: bool = False
    problem: str = ""
    fleet: str = ""
    joined: bool = False
    routes: tuple[str, ...] = ()
    intents: int = 0
    settled: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One look at a host; `unread` says of each thing that could not be looked at why."""

    api_version: str = written("Observation")
    kind: str = "Observation"
    time: int
    host: str
    build: int
    revision: int
    elevated: bool = True
    reboot_pending: bool = False
    features: Mapping[str, str] = field(default_factory=dict)
    addresses: tuple[str, ...] = ()
    dns_suffixes: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    services: tuple[ServiceSeen, ...] = ()
    logs: tuple[LogSeen, ...] = ()
    paths: tuple[PathSeen, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)
    certificates: tuple[CertificateSeen, ...] = ()
    volumes: tuple[VolumeSeen, ...] = ()
    routes: tuple[RouteSeen, ...] = ()
    hns: HnsSeen = field(default_factory=HnsSeen)
    pipes: tuple[str, ...] = ()
    journal: JournalSeen = field(default_factory=JournalSeen)
    recipe: Recipe | None = None
    cluster: ClusterSight | None = None
    unread: Mapping[str, str] = field(default_factory=dict)

    def service(self, name: str) -> ServiceSeen | None:
        """The service of that name."""
        return next((item for item in self.services if item.name == name), None)

    def log(self, service: str) -> LogSeen | None:
        """The log of a service."""
        return next((item for item in self.logs if item.service == service), None)

    def path(self, path: str) -> PathSeen | None:
        """What was seen at a path."""
        low = path.lower()
        return next((item for item in self.paths if item.path.lower() == low), None)

    def text(self, ending: str) -> tuple[str, str]:
        """The path and content of the file whose path ends so; two empty texts where none was."""
        low = ending.lower()
        found = ((path, text) for path, text in self.texts.items() if path.lower().endswith(low))
        return next(found, ("", ""))

    def texts_in(self, directory: str) -> dict[str, str]:
        """The files read in a directory, by path."""
        low = directory.lower()
        return {p: text for p, text in self.texts.items() if ntpath.dirname(p).lower() == low}
