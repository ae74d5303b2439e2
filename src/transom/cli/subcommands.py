"""Commands with verbs, as `transom userdata lint`.

Such a command is a package with `SUMMARY`, `EXAMPLES` and `VERBS`, the line that says what each verb does. Each verb
is a module of the package with `SUMMARY`, `configure(parser)` and `run(args)`, imported when that verb is asked for.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping, Sequence
from importlib import import_module
from keyword import iskeyword
from typing import Any, Protocol, cast

from transom.cli.parser import Parser


class VerbPackage(Protocol):
    """What a package must have to be a command with verbs."""

    __name__: str
    SUMMARY: str
    EXAMPLES: str
    VERBS: Mapping[str, str]


class CommandWithVerbs:
    """A command made of its package; it is used like a command that is one module."""

    def __init__(self, package: VerbPackage) -> None:
        self.SUMMARY = package.SUMMARY
        self._package = package

    def configure(self, parser: ArgumentParser, /) -> None:
        """Add the verbs; the options of each are added when it is asked for."""
        parser.epilog = self._package.EXAMPLES
        parsers = parser.add_subparsers(
            dest="verb", required=True, metavar="VERB", parser_class=VerbParser
        )
        for name, summary in self._package.VERBS.items():
            verb = parsers.add_parser(
                name, help=summary, formatter_class=parser.formatter_class, allow_abbrev=False
            )
            verb.module = self._module_name(name)

    def run(self, args: Namespace, /) -> int:
        """Run the verb that was named."""
        code: int = import_module(self._module_name(args.verb)).run(args)
        return code

    def _module_name(self, verb: str) -> str:
        name = verb.replace("-", "_")
        return (
            f"{self._package.__name__}.{name}_"
            if iskeyword(name)
            else (f"{self._package.__name__}.{name}")
        )


class VerbParser(Parser):
    """The parser of one verb, which asks the verb's module for its options when it is first used."""

    module = ""

    def load(self) -> None:
        """Import the verb and add its options."""
        if self.module:
            verb, self.module = import_module(self.module), ""
            self.description = verb.SUMMARY
            verb.configure(self)

    def parse_known_args(  # type: ignore[override] # argparse types it by overloads
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> tuple[Namespace, list[str]]:
        """Parse with the verb's own options."""
        self.load()
        return cast("tuple[Namespace, list[str]]", super().parse_known_args(args, namespace))
