"""Rows of `addons.toml`: what the cluster runs for its Windows nodes, each under its conditions."""

from typing import ClassVar

from transom.facts.rows import Row


class AddonImage(Row):
    """The image of an add-on's container."""

    subject: ClassVar[str] = "addons"
    table: ClassVar[str] = "addon_image"
    image: str


class Right(Row):
    """One rule of a ClusterRole, with the reason why the program needs it."""

    subject: ClassVar[str] = "addons"
    table: ClassVar[str] = "right"
    role: str
    groups: tuple[str, ...]
    resources: tuple[str, ...]
    verbs: tuple[str, ...]
    reason: str


class ServedVersion(Row):
    """The version of an API that a cluster serves a kind in; the id is `served-KIND`."""

    subject: ClassVar[str] = "addons"
    table: ClassVar[str] = "served_version"
    kind: str
    api_version: str


class RuntimeHandler(Row):
    """What a RuntimeClass names as its handler, by runtime and isolation."""

    subject: ClassVar[str] = "addons"
    table: ClassVar[str] = "runtime_handler"
    runtime: str
    isolation: str
    handler: str


class AddonLimit(Row):
    """Something add-ons cannot do, checked before anything is rendered or applied."""

    subject: ClassVar[str] = "addons"
    table: ClassVar[str] = "addon_limit"
    text: str


class Rival(Row):
    """How another Windows kube-proxy or network is known: `words` in names and images.

    `plugin` is the fleet's key of the network it belongs to, empty for kube-proxy.
    """

    subject: ClassVar[str] = "addons"
    table: ClassVar[str] = "rival"
    title: str
    words: tuple[str, ...]
    text: str
    plugin: str = ""


class Provision(Row):
    """What a network or an extra needs that Transom does not bring.

    `plugin`, `mode` and `installer` are empty where they may be any; with `extra` it counts only where
    that was asked for. `routes` means that each node's pod range needs a route to its node.
    """

    subject: ClassVar[str] = "addons"
    table: ClassVar[str] = "provision"
    text: str
    plugin: str = ""
    mode: str = ""
    extra: str = ""
    installer: str = ""
    routes: bool = False
