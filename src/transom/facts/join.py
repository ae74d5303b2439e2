"""Rows of `join.toml`: kubeadm and what a node may be beside its control plane."""

from dataclasses import dataclass
from typing import ClassVar

from transom.facts.rows import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class KubeadmApi(Row):
    """The version of kubeadm's configuration API to write."""

    subject: ClassVar[str] = "join"
    table: ClassVar[str] = "kubeadm_api"
    version: str
    extra_args_as_list: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CriSocket(Row):
    """The pipe a runtime answers on."""

    subject: ClassVar[str] = "join"
    table: ClassVar[str] = "cri_socket"
    runtime: str
    endpoint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KubeadmPath(Row):
    """A file or directory kubeadm uses on Windows."""

    subject: ClassVar[str] = "join"
    table: ClassVar[str] = "path"
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Skew(Row):
    """How many minors a kubelet may be older than the API server; newer is never allowed."""

    subject: ClassVar[str] = "join"
    table: ClassVar[str] = "skew"
    minors: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivilegedWay(Row):
    """One way to run programs on the host itself: the window in which it exists, and its needs."""

    subject: ClassVar[str] = "join"
    table: ClassVar[str] = "privileged"
    way: str
    runtimes: tuple[str, ...]
    containerd_minimum: str = ""
    gate: str = ""
    default: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit(Row):
    """A number the platform sets, such as the length of a computer name."""

    subject: ClassVar[str] = "join"
    table: ClassVar[str] = "limit"
    value: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour(Row):
    """Something kubeadm does on Windows that people must know."""

    subject: ClassVar[str] = "join"
    table: ClassVar[str] = "behaviour"
    title: str
    text: str
