"""One host and its cluster as arguments: how they are asked for, and the doors they open.

Shared by the commands that reach one host. The only place that asks a person for a host's key or a password.
"""

import argparse
import getpass
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli import cluster_access
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.fleet.join import Doors
    from transom.fleet.run import Connect
    from transom.fleet.single import Wish
    from transom.model.fleet import Source
    from transom.remote.target import Target


def add_arguments(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """The host, the way to it, and the cluster."""
    add_way_arguments(parser, optional=optional)
    cluster_access.add_arguments(parser)
    host = parser.add_argument_group("what is not to be found out")
    host.add_argument("--windows", default="", metavar="RELEASE", help="such as 2022")
    host.add_argument(
        "--node-ip", default="", metavar="IP", help="the address other nodes reach the host at"
    )
    parser.add_argument("-o", "--output", choices=["text", "json"], default="text")


def add_way_arguments(parser: argparse.ArgumentParser, *, optional: bool = False) -> None:
    """The host and the way to it."""
    parser.add_argument(
        "address",
        metavar="ADDRESS",
        nargs="?" if optional else None,
        help="[USER@]HOST[:PORT] of its SSH server, or an alias of ~/.ssh/config",
    )
    way = parser.add_argument_group("the way to the host")
    way.add_argument(
        "--user", help="default: the one in ADDRESS or ~/.ssh/config, or Administrator"
    )
    way.add_argument(
        "--key",
        metavar="FILE",
        help="private key (default: the SSH agent's, those in ~/.ssh, or a password asked for)",
    )
    way.add_argument(
        "--host-key",
        metavar="KEY",
        help="the host's public key, `ssh-ed25519 AAAA…` (default: known_hosts, or asked for)",
    )
    way.add_argument("--jump", metavar="HOST", help="[USER@]HOST[:PORT] to go through")


def wish_of(args: argparse.Namespace, source: "Source") -> "Wish":
    """What the person said about the host."""
    from transom.fleet.single import Wish

    return Wish(
        address=target_of(args).host,
        node_ip=args.node_ip,
        windows=args.windows,
        reboot=getattr(args, "reboot", False),
        source=source,
    )


def doors_of(args: argparse.Namespace) -> "Doors":
    """The doors to the host and the cluster; neither is opened yet."""
    from transom.fleet.join import Doors
    from transom.fleet.run import RealClock

    return Doors(
        api=cluster_access.open_api(args),
        connect=connect_of(args),
        clock=RealClock(),
        now=lambda: datetime.now(UTC),
    )


def connect_of(args: argparse.Namespace) -> "Connect":
    """The way to the host; it is not taken yet."""
    from transom.remote.ssh import SshSession, connect

    target = target_of(args)
    known_hosts, config = ssh_files()

    async def open_session() -> SshSession:
        return await connect(target, Terminal(), known_hosts=known_hosts, config=config)

    return open_session


def ssh_files() -> tuple[Path, Path]:
    """The person's known_hosts and config of OpenSSH."""
    folder = Path("~/.ssh").expanduser()
    return folder / "known_hosts", folder / "config"


def target_of(args: argparse.Namespace) -> "Target":
    """The SSH server, and the one before it."""
    from dataclasses import replace

    from transom.remote.target import parse_target

    target = parse_target(args.address)
    return replace(
        target,
        user=args.user or target.user,
        key_files=(args.key,) if args.key else (),
        host_key=args.host_key,
        jump=parse_target(args.jump) if args.jump else None,
    )


def version_of(text: str | None, *, option: str) -> str:
    """A version as an option has it, with or without v; empty where it was not given."""
    from transom.model.version import Version

    version = (text or "").removeprefix("v")
    try:
        return str(Version.parse(version)) if version else ""
    except ValueError as error:
        raise UsageError(
            f"{text!r} is no version", subject=option, hint="write it as 1.37.1"
        ) from error


def mirrors_of(pairs: list[str]) -> Mapping[str, str]:
    """`--mirror URL=URL` as a mapping."""
    mirrors = {}
    for pair in pairs:
        upstream, separator, mirror = pair.partition("=")
        if not separator or "://" not in upstream or "://" not in mirror:
            raise UsageError(
                f"{pair!r} names no mirror",
                subject="--mirror",
                hint="write UPSTREAM=MIRROR, such as https://dl.k8s.io=https://mirror.corp/k8s",
            )
        mirrors[upstream] = mirror
    return mirrors


class Terminal:
    """The person at the terminal; where there is none, nobody is asked."""

    def trusts(self, host: str, algorithm: str, fingerprint: str) -> bool:
        """Show the fingerprint and take only a whole yes."""
        if not sys.stdin.isatty():
            return False
        print(f"{host} shows a {algorithm} key that is not known here:", file=sys.stderr)
        print(f"  {fingerprint}", file=sys.stderr)
        print("Is that the machine you mean? (yes/no) ", end="", file=sys.stderr, flush=True)
        return sys.stdin.readline().strip().lower() == "yes"

    def password(self, host: str, user: str) -> str | None:
        """Ask without echo."""
        if not sys.stdin.isatty():
            return None
        return getpass.getpass(f"Password of {user} on {host}: ", stream=sys.stderr)
