"""The machine that boot data meets: what its metadata says, who is there, how its programs end.

Given to the reader of boot data. What nobody can know from the document alone is a value here,
with a default that most machines have.
"""

from collections.abc import Callable
from typing import Any

from transom.facts.platforms import Platform
from transom.model.records import dataclass

ALWAYS_ZERO: "Callable[[str], int]" = lambda _script: 0  # noqa: E731 - a default of a field


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """A fresh Windows machine.

    `exit_code` answers how a script ends, given its text or its file name. `users` are there
    before the boot data runs.
    """

    platform: Platform | None = None
    hostname: str = "windows-node"
    instance_id: str = "instance-1"
    public_keys: tuple[str, ...] = ()
    computer_name: str = "WIN-FRESH"
    users: frozenset[str] = frozenset(("Administrator", "Guest", "DefaultAccount"))
    exit_code: Callable[[str], int] = ALWAYS_ZERO

    def instance_data(self) -> dict[str, Any]:
        """The variables of a Jinja template, as cloudbase-init offers them on this platform."""
        names = {"local-hostname": self.hostname, "local_hostname": self.hostname}
        ids = {"instance-id": self.instance_id, "instance_id": self.instance_id}
        keys = list(self.public_keys)
        if self.platform is not None and self.platform.names_only:
            interfaces: dict[str, Any] = {"by-mac": {}, "by-ipv4": {}, "by-ipv6": {}}
            source = {"network": {"interfaces": interfaces}, **names}
        else:
            source = {**ids, **names}
        return {
            "v1": {**ids, **names, "public_ssh_keys": keys},
            "ds": {"_doc": "", "meta_data": {**source, "hostname": self.hostname}},
            **ids,
            **names,
            "public_ssh_keys": keys,
        }
