"""Rows of `capi.toml`: the infrastructure providers of Cluster API, and images that are published for them."""

from typing import ClassVar

from transom.facts.rows import Row


class Provider(Row):
    """An infrastructure provider: its API, the kind of its machine templates and of its pools, if any.

    `platform` is the row of `platforms.toml` that tells how its boot data travels.
    """

    subject: ClassVar[str] = "capi"
    table: ClassVar[str] = "provider"
    title: str
    platform: str
    version: str
    machine_template: str
    machine_pool: str = ""
    advice: str = ""


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
