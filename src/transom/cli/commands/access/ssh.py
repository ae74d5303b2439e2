"""`transom access ssh`: a shell on a host."""

import shlex
from argparse import ArgumentParser, Namespace

from transom.cli.commands.access import host as options
from transom.cli.environment import environment
from transom.cli.options import fleet_access

SUMMARY = "a shell on the host, by the system's ssh"


def configure(parser: ArgumentParser) -> None:
    """Add the host and a command for it."""
    options.add_arguments(parser)
    options.add_print_argument(parser)
    parser.add_argument(
        "command",
        nargs="*",
        default=[],  # else argparse calls it required
        metavar="COMMAND",
        help="run this instead of a shell; after --",
    )


def run(args: Namespace) -> int:
    """Go there, or print how."""
    from transom.remote.plain_ssh import run_on_terminal
    from transom.site.access import ssh_command

    command = (*ssh_command(fleet_access.one_host(args), environment()), *args.command)
    if args.print:
        print(shlex.join(command))
        return 0
    return run_on_terminal(command)
