"""What ~/.ssh/config says of a host: its real name, port, user, keys and the hosts before it.

What a person or a fleet said goes before the file; what neither says is OpenSSH's default, but a
Windows host's user is Administrator.
"""

import getpass
import os
from dataclasses import replace
from pathlib import Path
from typing import cast

from transom.errors import UsageError
from transom.remote.ssh_library import asyncssh
from transom.remote.target import SSH_PORT, Target, parse_target

ConfigParseError = asyncssh.config.ConfigParseError
SSHClientConfig = asyncssh.config.SSHClientConfig
USER = "Administrator"
_MOST_HOPS = 8


def resolved(target: Target, config: Path) -> Target:
    """The target with everything said; the file need not be there."""
    return _resolved(target, config, user=USER, hops=0)


def _resolved(target: Target, config: Path, *, user: str, hops: int) -> Target:
    if hops > _MOST_HOPS:
        raise UsageError(
            f"the way to {target.host} has more than {_MOST_HOPS} jump hosts",
            subject=str(config),
            hint="look for a ProxyJump that leads back to itself",
        )
    said = _said(target, config)
    jump = target.jump or _jump(cast("str", said.get("ProxyJump", "")))
    files = cast("list[str]", said.get("IdentityFile") or [])
    here = tuple(name for name in files if Path(name).expanduser().is_file())
    keys = target.key_files or (() if target.key_text else here)
    if jump is not None:
        # A key that opens the host may open the way to it as well; the jump host's own go first.
        offered = jump if jump.key_files else replace(jump, key_files=target.key_files)
        jump = _resolved(offered, config, user=_local_user(), hops=hops + 1)
    return replace(
        target,
        host=cast("str", said.get("Hostname", target.host)),
        port=cast("int", said.get("Port", SSH_PORT)),
        user=cast("str", said.get("User", user)),
        key_files=keys,
        jump=jump,
    )


def _said(target: Target, config: Path) -> SSHClientConfig | dict[str, object]:
    """What the target and the file say of that host; asyncssh's () stands for what was not said."""
    if not os.path.isfile(config):  # noqa: PTH113 - asked for every host of a fleet, and ten times as quick
        said: dict[str, object] = {"User": target.user, "Port": target.port}
        return {name: value for name, value in said.items() if value is not None}
    user = () if target.user is None else target.user
    port = () if target.port is None else target.port
    try:
        return cast(
            "SSHClientConfig",
            SSHClientConfig.load(
                None, [str(config)], False, False, False, _local_user(), user, target.host, port
            ),
        )
    except (OSError, ConfigParseError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read {config}: {error}", subject=str(config)) from error


def _jump(text: str) -> Target | None:
    """`ProxyJump a,b` as targets, the last one nearest to the host."""
    found: Target | None = None
    if text.lower() != "none":
        for word in filter(None, text.split(",")):
            found = replace(parse_target(word.removeprefix("ssh://")), jump=found)
    return found


def _local_user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container without an entry for its user
        return USER
