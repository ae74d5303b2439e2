"""Rows of `ssh.toml`: the SSH server that Windows brings.

Read by whatever installs it on a host that is reached another way.
"""

from typing import ClassVar

from transom.facts.rows import Row


class SshServer(Row):
    """The OpenSSH server of Windows: what installs it, what it is called, and where it keeps its keys.

    `rule` is the firewall rule it comes with. Administrators' public keys are in `keys`, which nobody
    else may write: `access` is that as a security descriptor. `host_key` is made when it first starts.
    """

    subject: ClassVar[str] = "ssh"
    table: ClassVar[str] = "server"

    capability: str
    service: str
    rule: str
    port: int
    folder: str
    keys: str
    access: str
    host_key: str
