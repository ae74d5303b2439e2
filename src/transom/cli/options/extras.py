"""Add-ons that are asked for beside the fleet's own."""

from argparse import ArgumentParser

# As in `addons.catalogue`, whose import a look at the help need not wait for.
EXTRAS = ("csi-proxy", "pipe-policy", "windows-exporter")


def add_extras_argument(parser: ArgumentParser, about: str) -> None:
    """Add which ones."""
    parser.add_argument(
        "--with", dest="extras", action="append", default=[], choices=EXTRAS, help=about
    )
