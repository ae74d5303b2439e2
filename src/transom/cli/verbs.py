"""Commands with verbs, as `transom userdata lint`: each verb is a module, imported for itself."""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from importlib import import_module


def add_verbs(parser: ArgumentParser, package: str, verbs: Mapping[str, str]) -> None:
    """Add the verbs of a command; `verbs` has the line that says what each does."""
    parsers = parser.add_subparsers(dest="verb", required=True, metavar="VERB")
    for name, summary in verbs.items():
        module = import_module(f"{package}.{name}")
        verb = parsers.add_parser(
            name,
            help=summary,
            description=module.SUMMARY,
            formatter_class=parser.formatter_class,
            allow_abbrev=False,
        )
        module.configure(verb)


def run_verb(package: str, args: Namespace) -> int:
    """Run the verb that was named."""
    code: int = import_module(f"{package}.{args.verb}").run(args)
    return code
