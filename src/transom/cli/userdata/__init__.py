"""`transom userdata`: boot data for cloudbase-init; one module per verb."""

from argparse import ArgumentParser, Namespace
from importlib import import_module

SUMMARY = "Boot data for cloudbase-init: what it will do on Windows, and what will go wrong."

_VERBS = {"lint": "what cloudbase-init will execute, ignore and get wrong"}


def configure(parser: ArgumentParser) -> None:
    """Add the verbs."""
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, summary in _VERBS.items():
        module = import_module(f"transom.cli.userdata.{name}")
        verb = verbs.add_parser(
            name,
            help=summary,
            description=module.SUMMARY,
            formatter_class=parser.formatter_class,
            allow_abbrev=False,
        )
        module.configure(verb)


def run(args: Namespace) -> int:
    """Run the verb."""
    code: int = import_module(f"transom.cli.userdata.{args.verb}").run(args)
    return code
