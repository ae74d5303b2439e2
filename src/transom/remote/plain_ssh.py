"""The system's own `ssh`, for a person at a terminal: its command line for a target, and running it.

The command says everything that Transom would do itself, so that it can be printed and used without
Transom.
"""

import subprocess  # noqa: TID251 - a door: starts ssh by an argument list, on the person's terminal

from transom.errors import UsageError
from transom.remote.target import SSH_PORT, Target


def ssh_command(target: Target, *more: str) -> tuple[str, ...]:
    """`ssh` to a resolved target; a key that the fleet pins is the only one taken."""
    words = ["ssh", *more]
    if target.jump is not None:
        words += ["-J", ",".join(_place(hop) for hop in target.jump.hops)]
    for file in target.key_files:
        words += ["-i", file]
    if target.port not in (None, SSH_PORT):
        words += ["-p", str(target.port)]
    words += ["-o", "StrictHostKeyChecking=yes"]
    whole = [key for key in target.host_keys if not key.startswith("SHA256:")]
    if whole:
        # One line for the first: ssh runs a program for its known hosts, and takes no list.
        key = " ".join(whole[0].split()[:2])
        words += ["-o", "UserKnownHostsFile=none"]
        words += ["-o", f"KnownHostsCommand=/bin/echo {target.name} {key}"]
    return (*words, "-l", target.user or "", target.host)


def _place(hop: Target) -> str:
    host = f"[{hop.host}]" if ":" in hop.host else hop.host
    port = "" if hop.port in (None, SSH_PORT) else f":{hop.port}"
    return f"{hop.user}@{host}{port}"


def run_on_terminal(argv: tuple[str, ...]) -> int:
    """Run it with the person's own terminal; its exit code."""
    try:
        return subprocess.call(argv)  # noqa: S603 - an argument list
    except OSError as error:
        raise UsageError(
            f"cannot start {argv[0]}",
            subject=argv[0],
            hint="install OpenSSH's client, or use --print's command elsewhere",
        ) from error
