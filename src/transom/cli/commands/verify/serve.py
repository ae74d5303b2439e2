"""`transom verify serve`: the grid over HTTP, for one's own browser or behind a proxy."""

from argparse import ArgumentParser, Namespace

from transom.cli.commands.verify import options
from transom.cli.output import console

SUMMARY = "show the grid in a browser until interrupted; it follows the store"


def configure(parser: ArgumentParser) -> None:
    """Add the store, how much is shown, and where."""
    options.add_store_argument(parser)
    options.add_look_arguments(parser)
    parser.add_argument(
        "--listen", metavar="ADDRESS:PORT", default="127.0.0.1:8780", help="default: %(default)s"
    )


def run(args: Namespace) -> int:
    """Serve until interrupted."""
    from transom.site.results import serve

    server = serve(args.listen, options.store_path(args.store), options.look_of(args), args.title)
    host, port = server.server_address[:2]
    console.note(f"http://{host!s}:{port}/ shows the grid; Ctrl-C ends it")
    with server:
        server.serve_forever()
    return 0
