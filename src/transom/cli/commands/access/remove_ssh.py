"""`transom access remove-ssh`: what install-ssh did is taken back."""

import asyncio
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from transom.cli.commands.access import host as options
from transom.cli.environment import environment
from transom.cli.options import fleet_access, fleet_change, host_access
from transom.cli.output import console

if TYPE_CHECKING:
    from transom.fleet.on_host.ssh_server import SshSetup

SUMMARY = "take back what install-ssh did"


def configure(parser: ArgumentParser) -> None:
    """Add the host and the confirmation."""
    options.add_arguments(parser)
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")


def run(args: Namespace) -> int:
    """Ask, and take it back."""
    from transom.site import access

    host = fleet_access.one_host(args)
    access.winrm_of(host, file=str(args.filename))

    async def remove(setup: "SshSetup") -> bool:
        fleet_change.confirm(args, f"Take back what install-ssh did on {host.name}?")
        return await setup.remove()

    secrets, person = host_access.secrets_of(None), host_access.Terminal()
    done = asyncio.run(access.with_ssh_setup(host, secrets, environment(), person, remove))
    said = "is as it was before install-ssh" if done else "has nothing of install-ssh"
    console.note(f"{host.name} {said}")
    return 0
