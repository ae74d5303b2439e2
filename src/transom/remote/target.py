"""Where a host's SSH server is and how to get in, as a person says it: what is not said is found out.

Made by the command line from a fleet or from arguments; `ssh_config` fills it in from ~/.ssh/config.
"""

import re
from dataclasses import field

from transom.errors import UsageError
from transom.model.records import dataclass

SSH_PORT = 22
_ADDRESS = re.compile(
    r"(?:(?P<user>[^@]+)@)?(?:\[(?P<v6>[0-9a-fA-F:.]+)\]|(?P<host>[^@:\[\]]+))(?::(?P<port>\d+))?"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """A host and how to get in.

    `host_keys` are public keys in OpenSSH's one-line form, or their fingerprints: any of them will do. Keys are in files, or
    the text of one is at hand, or a password. What is None or empty was not said.
    """

    host: str
    port: int | None = None
    user: str | None = None
    key_files: tuple[str, ...] = ()
    key_text: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    host_keys: tuple[str, ...] = ()
    jump: "Target | None" = None

    @property
    def name(self) -> str:
        """The host as messages and known_hosts name it."""
        return self.host if self.port in (None, SSH_PORT) else f"[{self.host}]:{self.port}"

    @property
    def hops(self) -> "tuple[Target, ...]":
        """The hosts to go through, in order, and the host itself."""
        return (*(self.jump.hops if self.jump else ()), self)


def parse_target(text: str) -> Target:
    r"""`[USER@]HOST[:PORT]`; a user may be DOMAIN\user, an IPv6 address is in brackets."""
    found = _ADDRESS.fullmatch(text)
    if found is None:
        raise UsageError(
            f"{text!r} is no address of a host",
            subject=text,
            hint="write [USER@]HOST[:PORT], and an IPv6 address in brackets",
        )
    return Target(
        host=found["v6"] or found["host"],
        port=int(found["port"]) if found["port"] else None,
        user=found["user"],
    )
