"""Rows of `join.toml`: kubeadm and what a node may be beside its control plane."""

from typing import ClassVar

from transom.facts.rows import Row


class KubeadmApi(Row):
    """The version of kubeadm's configuration API to write."""

    subject: ClassVar[str] = "join"
    table: ClassVar[str] = "kubeadm_api"
    version: str
    extra_args_as_list: bool


class CriSocket(Row):
    """The pipe a runtime answers on."""

    subject: ClassVar[str] = "join"
    table: ClassVar[str] = "cri_socket"
    runtime: str
    endpoint: str


class KubeadmPath(Row):
    """A file or directory kubeadm uses on Windows."""

    subject: ClassVar[str] = "join"
    table: ClassVar[str] = "path"
    path: str


class Skew(Row):
    """How many minors a kubelet may be older than the API server; newer is never allowed."""

    subject: ClassVar[str] = "join"
    table: ClassVar[str] = "skew"
    minors: int


class PrivilegedWay(Row):
    """One way to run programs on the host itself: the window in which it exists, and its needs."""

    subject: ClassVar[str] = "join"
    table: ClassVar[str] = "privileged"
    way: str
    runtimes: tuple[str, ...]
    containerd_minimum: str = ""
    gate: str = ""
    default: bool = False


class Limit(Row):
    """A number the platform sets, such as the length of a computer name."""

    subject: ClassVar[str] = "join"
    table: ClassVar[str] = "limit"
    value: int
    text: str


class Behaviour(Row):
    """Something kubeadm does on Windows that people must know."""

    subject: ClassVar[str] = "join"
    table: ClassVar[str] = "behaviour"
    title: str
    text: str


class OwnLabels(Row):
    """Labels of Kubernetes' own `domains` that a kubelet may give its node; others only by the API.

    A kubelet that is told to set another label of those domains does not start.
    """

    subject: ClassVar[str] = "join"
    table: ClassVar[str] = "own_labels"
    domains: tuple[str, ...]
    namespaces: tuple[str, ...]
    keys: tuple[str, ...]
    text: str


class ReservedLabel(Row):
    """A label that a node gets by other means than a fleet's labels; a `key` that ends in `/` is a whole prefix."""

    subject: ClassVar[str] = "join"
    table: ClassVar[str] = "reserved_label"
    key: str
    text: str
    fix: str

    def covers(self, key: str) -> bool:
        """Whether a label is this one."""
        return key.startswith(self.key) if self.key.endswith("/") else key == self.key


class OwnedFlag(Row):
    """A flag of the kubelet that Transom or kubeadm sets; `fleet_key` is what a fleet says instead, where anything."""

    subject: ClassVar[str] = "join"
    table: ClassVar[str] = "owned_flag"
    name: str
    text: str
    fleet_key: str = ""
