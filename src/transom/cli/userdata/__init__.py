"""`transom userdata`: boot data for cloudbase-init; one module per verb."""

from argparse import ArgumentParser, Namespace

from transom.cli import verbs

SUMMARY = "Boot data for cloudbase-init: what it will do on Windows, and what will go wrong."

_VERBS = {
    "lint": "what cloudbase-init will execute, ignore and get wrong",
    "pack": "boot data as a platform takes it: encoded, as an image, as guestinfo",
}


def configure(parser: ArgumentParser) -> None:
    """Add the verbs."""
    verbs.add_verbs(parser, __name__, _VERBS)


def run(args: Namespace) -> int:
    """Run the verb."""
    return verbs.run_verb(__name__, args)
