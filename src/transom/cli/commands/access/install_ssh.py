"""`transom access install-ssh`: an SSH server for a host of the fleet that WinRM reaches."""

import asyncio
import json
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from transom.cli.commands.access import host as options
from transom.cli.environment import environment
from transom.cli.options import fleet_access, fleet_change, host_access
from transom.cli.output import console

if TYPE_CHECKING:
    from transom.fleet.on_host.ssh_server import SshSetup

SUMMARY = "OpenSSH on a host that WinRM reaches, with your public key let in"


def configure(parser: ArgumentParser) -> None:
    """Add the host, the key and where Windows finds its features."""
    from transom.site.access import USUAL_KEYS

    options.add_arguments(parser)
    parser.add_argument("-y", "--yes", action="store_true", help="do not ask")
    parser.add_argument(
        "--key",
        metavar="FILE",
        help=f"the public key to let in (default: ~/.ssh/{', '.join(USUAL_KEYS)})",
    )
    parser.add_argument(
        "--source",
        metavar="FOLDER",
        help="where the host finds Windows' optional features, instead of Windows Update",
    )


def run(args: Namespace) -> int:
    """Go there by WinRM, say what would change, ask, do it, and print what the fleet has to say then."""
    from transom.site import access

    host = fleet_access.one_host(args)
    way = access.winrm_of(host, file=str(args.filename))
    file = access.public_key_file(environment(), args.key)
    key = access.read_public_key(file)
    if args.source:
        access.refuse_source(args.source)

    async def install(setup: "SshSetup") -> str:
        state = await setup.look()
        changes = setup.changes(state, key)
        for change in changes:
            console.note(f"{host.name}: {change}")
        if changes:
            fleet_change.confirm(args, "Do this?")
        host_key = await setup.install(state, key, source=args.source or "")
        done = "has OpenSSH now" if changes else "has OpenSSH, and nothing was to be done"
        console.note(
            f"{host.name} {done}. To reach it so, write this in its place in {args.filename}:"
        )
        return host_key

    secrets, person = host_access.secrets_of(None), host_access.Terminal()
    host_key = asyncio.run(access.with_ssh_setup(host, secrets, environment(), person, install))
    pasted = json.dumps(access.ssh_connection(way), ensure_ascii=False)
    print(f"sshHostKeys: [{json.dumps(host_key)}]")
    print(f"host: {{connection: {{ssh: {pasted}}}}}")
    private = file.with_suffix("")
    if args.key and private.is_file():
        console.note(
            f"and for its key, in the Client document, with connection.credentialName {host.name}-key: "
            f"{{name: {host.name}-key, type: SSHPrivateKey, file: {private}}}"
        )
    return 0
