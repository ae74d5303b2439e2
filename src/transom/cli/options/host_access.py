"""One host and its cluster as arguments: how they are asked for, and the doors they open.

Shared by the commands that reach one host. The only place that asks a person for a host's key or a password.
"""

import argparse
import getpass
import sys
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from transom.cli.environment import environment
from transom.cli.options import cluster_access
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.fleet.on_host.run import Connect
    from transom.kube.api import Api
    from transom.model.fleet import Host
    from transom.remote.target import Target
    from transom.site.credentials import Secrets


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


def connect_of(args: argparse.Namespace) -> "Connect":
    """The way to the host; it is not taken yet."""
    from transom.site.hosts import open_ssh

    return partial(open_ssh, target_of(args), environment(), Terminal())


def secrets_of(api: "Api | None") -> "Secrets":
    """The secrets of a fleet, from this machine, the cluster and the user."""
    from transom.site.credentials import Secrets

    return Secrets(api, environment(), ask_secret)


def connect_to(host: "Host", secrets: "Secrets", *, accept_new: bool = False) -> "Connect":
    """The way to a host of a fleet; it is not taken yet."""
    from transom.site import hosts

    return hosts.connect_to(host, secrets, environment(), NewKeys() if accept_new else Terminal())


def target_of(args: argparse.Namespace) -> "Target":
    """The SSH server, and the one before it."""
    from dataclasses import replace

    from transom.remote.target import parse_target

    target = parse_target(args.address)
    return replace(
        target,
        user=args.user or target.user,
        key_files=(args.key,) if args.key else (),
        host_keys=(args.host_key,) if args.host_key else (),
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
    """The person at the terminal; where there is none, nobody is asked.

    A password is asked for once: one machine is connected to several times.
    """

    def __init__(self) -> None:
        self._passwords: dict[tuple[str, str], str] = {}

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
        if (host, user) not in self._passwords:
            asked = getpass.getpass(f"Password of {user} on {host}: ", stream=sys.stderr)
            self._passwords[host, user] = asked
        return self._passwords[host, user]


class NewKeys(Terminal):
    """The user, who has said that keys seen for the first time are to be written down."""

    def trusts(self, host: str, algorithm: str, fingerprint: str) -> bool:
        """Take it, and say so."""
        print(
            f"warning: {host} is seen for the first time; its {algorithm} key is written down: "
            f"{fingerprint}",
            file=sys.stderr,
        )
        return True


def ask_secret(of: str) -> str:
    """Ask for a password without echo."""
    return getpass.getpass(f"Password for {of}: ", stream=sys.stderr)
