"""Where machines are made: how each platform hands boot data to cloudbase-init.

Read by everything that checks, packs or makes boot data.
"""

from typing import ClassVar

from transom.facts.rows import Row


class Platform(Row):
    """One platform.

    `service` is the metadata service that the image's cloudbase-init must enable, and `enable` the
    classes for its setting metadata_services. `limit` is the
    most bytes the platform takes, zero where it names none, counted of the data as it is
    `counted`: raw or base64. `unpacks_gzip`: compressed data is unpacked there. `names_only`: the
    data source offers templates the host's names and no instance id. `form` is what `pack` makes.
    """

    subject: ClassVar[str] = "platforms"
    table: ClassVar[str] = "platform"

    title: str
    service: str
    transport: str
    form: str
    enable: tuple[str, ...]
    limit: int = 0
    counted: str = "raw"
    unpacks_gzip: bool = True
    names_only: bool = False
    advice: str = ""


class SecretStore(Row):
    """A cloud's store for secrets, and how a machine there reaches it with its own identity.

    In `endpoint`, `{region}` and `{domain}` are filled in on the machine, `{vault}` when boot data
    is made. `audience` is what a token is asked for. `put` is the command that stores a file,
    `rights` is what the machine's identity must be allowed.
    """

    subject: ClassVar[str] = "platforms"
    table: ClassVar[str] = "secret_store"

    title: str
    platform: str
    metadata: str
    endpoint: str
    version: str = ""
    audience: str = ""
    put: str
    rights: tuple[str, ...]
