"""Rows of `capi.toml`: the infrastructure providers of Cluster API, and images that are published for them."""

from typing import ClassVar

from transom.facts.rows import Row


class Provider(Row):
    """An infrastructure provider: its API, the kind of its machine templates and of its pools, if any.

    `platform` is the row of `platforms.toml` that tells how its boot data travels, `cluster` the
    kind of its cluster object. `link_mtu` is what its network carries where that is not 1500.
    """

    subject: ClassVar[str] = "capi"
    table: ClassVar[str] = "provider"
    title: str
    platform: str
    version: str
    machine_template: str
    machine_pool: str = ""
    cluster: str
    link_mtu: int = 0
    advice: str = ""


class Registration(Row):
    """How a provider's Nodes come by the providerID that Cluster API finds a machine's Node by.

    Arguments are `name=value`; `{{ }}` is filled by whoever executes the boot data.
    """

    subject: ClassVar[str] = "capi"
    table: ClassVar[str] = "registration"
    kubelet: tuple[str, ...]
    controller_manager: tuple[str, ...] = ()
    text: str


class AcsEngine(Row):
    """Azure's engine before Cluster API: the versions its last release knows, and its model's API.

    `oldest` and `newest` are the minors of Kubernetes that it makes clusters with Windows of.
    """

    subject: ClassVar[str] = "capi"
    table: ClassVar[str] = "acs_engine"
    api: str
    kubernetes_default: str
    oldest: str
    newest: str
    text: str


class PublishedImage(Row):
    """An image for Windows nodes that somebody publishes; `{kubernetes}` stands for the version.

    `query` is the command that lists what is there now.
    """

    subject: ClassVar[str] = "capi"
    table: ClassVar[str] = "image"
    platform: str
    windows: str
    image: str
    publisher: str
    query: str = ""
    text: str = ""
