"""The host that is to be reached, as arguments."""

from argparse import ArgumentParser

from transom.cli.options import fleet_file


def add_arguments(parser: ArgumentParser) -> None:
    """Add the host and its fleet."""
    parser.add_argument("host", metavar="HOST", help="a host's name in the fleet")
    fleet_file.add_argument(parser)
    parser.add_argument("--fleet", metavar="NAME", help="which one, where there are several")


def add_print_argument(parser: ArgumentParser) -> None:
    """Add that only the command is wanted."""
    parser.add_argument(
        "--print", action="store_true", help="print the plain ssh command and do nothing"
    )
