"""`transom access rdp`: a host's remote desktop on a port of this machine."""

import asyncio
import shlex
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from contextlib import suppress

from transom.cli.commands.access import host as options
from transom.cli.environment import environment
from transom.cli.options import fleet_access, host_access
from transom.cli.output import console

SUMMARY = "its remote desktop on a port of this machine, until interrupted"

_LOCAL = 5555
_HIGHEST = 65535


def configure(parser: ArgumentParser) -> None:
    """Add the host and the port."""
    options.add_arguments(parser)
    options.add_print_argument(parser)
    parser.add_argument(
        "--port", type=_port, default=_LOCAL, help="of localhost (default: %(default)s)"
    )


def _port(text: str) -> int:
    port = int(text) if text.isdecimal() else -1
    if not 0 <= port <= _HIGHEST:
        raise ArgumentTypeError(f"{text!r} is no port; 0 takes a free one")
    return port


def run(args: Namespace) -> int:
    """Open it, or print how."""
    from transom.site.access import desktop_command, serve_desktop

    host = fleet_access.one_host(args)
    if args.print:
        print(shlex.join(desktop_command(host, environment(), port=args.port)))
        return 0

    def is_open(port: int) -> None:
        console.note(f"localhost:{port} is the remote desktop of {host.name}; Ctrl-C ends it")

    with suppress(KeyboardInterrupt):
        asyncio.run(
            serve_desktop(
                host,
                host_access.secrets_of(None),
                environment(),
                host_access.Terminal(),
                port=args.port,
                is_open=is_open,
            )
        )
    return 0
