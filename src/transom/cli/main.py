"""Where `transom` and `kubectl transom` begin: find the command, run it, turn errors into words.

Only the command that was asked for is imported, so that `--version` and `lint` start quickly.
"""

import gc
import sys
from typing import TYPE_CHECKING, NoReturn

from transom import __version__
from transom.cli.output import streams

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Sequence

    from transom.cli.commands import Command
    from transom.errors import TransomError

EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141
EXIT_FAILED = 5
EXIT_BUG = 70

# A command leaves little behind that only the collector finds, and Python would look for it every 700 objects.
OBJECTS_A_COLLECTION = 50_000

_OVERVIEW_END = """
Exit codes: 0 done, 1 findings or drift, 2 usage or unreadable input, 3 unsupported combination,
4 try again, 5 failed, 70 a defect of Transom.

Examples:
  transom recipe -f fleet.yaml --host win-01
  transom explain WIN024
  transom COMMAND --help
"""


def main(argv: "Sequence[str] | None" = None) -> int:
    """Run the command line and return the exit code."""
    gc.set_threshold(OBJECTS_A_COLLECTION)
    arguments = list(sys.argv[1:] if argv is None else argv)
    streams.prepare()
    try:
        code = _answer(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away, as `head` does: not an error of anybody.
        streams.abandon_output()
        return EXIT_BROKEN_PIPE
    except OSError as error:
        streams.abandon_output()
        print(f"error: cannot write standard output\n  why:   {error}", file=sys.stderr)
        return EXIT_FAILED
    finally:
        gc.freeze()  # or Python looks through everything that was made, several times, as it ends
    return code


def parser_for(command: "Command") -> "ArgumentParser":
    """The command's own parser, configured."""
    from transom.cli.parser import HelpFormatter, Parser

    module = command.load()
    parser = Parser(
        prog=f"transom {command.name}",
        description=module.SUMMARY,
        formatter_class=HelpFormatter,
        allow_abbrev=False,
    )
    module.configure(parser)
    parser.add_argument("-v", "--verbose", action="store_true", help="say more on standard error")
    return parser


def _answer(arguments: list[str]) -> int:
    if arguments[:1] == ["--version"]:
        print(f"transom {__version__}")
        return 0
    verbose = _take_verbose(arguments)
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        return _help(arguments[1:2])
    return _guarded(arguments, verbose=verbose)


def _take_verbose(arguments: list[str]) -> bool:
    verbose = False
    while arguments[:1] and arguments[0] in ("-v", "--verbose"):
        arguments.pop(0)
        verbose = True
    return verbose


def _help(topic: "Sequence[str]") -> int:
    if topic:
        return _guarded([*topic, "--help"], verbose=False)
    from transom.cli.commands import COMMANDS, plugins

    print("usage: transom [-v] COMMAND [options]\n")
    print("Windows worker nodes for Kubernetes: prepared, joined, upgraded, checked and undone.")
    group = ""
    for command in (*COMMANDS, *plugins()):
        if command.group != group:
            group = command.group
            print(f"\n{group}:")
        print(f"  {command.name:<12} {command.summary}")
    print(_OVERVIEW_END, end="")
    return 0


class _Asked:
    """What the user asked for: words, and what the parser made of them once it has."""

    def __init__(self, arguments: list[str], *, verbose: bool) -> None:
        self.arguments = arguments
        self.args: Namespace | None = None
        self._verbose = verbose

    @property
    def is_verbose(self) -> bool:
        """Whether to say more."""
        if self.args is not None:
            return self._verbose or self.args.verbose
        return self._verbose or "-v" in self.arguments or "--verbose" in self.arguments

    @property
    def wants_json(self) -> bool:
        """Whether an error is printed as a document too; guessed where the words could not be parsed."""
        if self.args is not None:
            output = getattr(self.args, "output", None)
            return output == "json" or (isinstance(output, list) and "json" in output)
        pairs = zip(self.arguments, [*self.arguments[1:], ""], strict=True)
        return any(
            word in ("-ojson", "-o=json", "--output=json")
            or (word in ("-o", "--output") and following == "json")
            for word, following in pairs
        )


def _guarded(arguments: list[str], *, verbose: bool) -> int:
    from transom.errors import InternalError, TransomError

    asked = _Asked(arguments, verbose=verbose)
    try:
        return _dispatch(asked)
    except TransomError as error:
        return _report(error, asked, traceback=asked.is_verbose)
    except Exception as error:
        if isinstance(error, OSError) and streams.is_output_failure(error):
            raise
        # The last line of defence: our bug, said so.
        first = _first_of(error)
        bug = InternalError(
            f"a defect of Transom: {type(first).__name__}: {first}",
            hint="please report it with the lines above",
        )
        bug.__traceback__ = first.__traceback__
        return _report(bug, asked, traceback=True)


def _first_of(error: BaseException) -> BaseException:
    """What was raised; of hosts that were visited at once and all met it, what the first did."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _dispatch(asked: _Asked) -> int:
    from transom.cli.commands import find

    name, *rest = asked.arguments
    if name == "__complete":
        from transom.cli.commands.completion import complete

        return complete(rest)
    command = find(name)
    if command is None:
        _unknown(name)
    args = parser_for(command).parse_args(rest)
    asked.args = args
    args.verbose = asked.is_verbose
    return command.load().run(args)


def _unknown(name: str) -> NoReturn:
    from difflib import get_close_matches

    from transom.cli.commands import COMMANDS, plugins
    from transom.errors import UsageError

    names = [command.name for command in (*COMMANDS, *plugins())]
    near = get_close_matches(name, names, n=3)
    did_you_mean = f"did you mean {' or '.join(near)}? " if near else ""
    raise UsageError(
        f"there is no command {name!r}", hint=f"{did_you_mean}`transom --help` lists them"
    )


def _report(error: "TransomError", asked: _Asked, *, traceback: bool) -> int:
    from transom.cli.output import console

    if traceback or error.exit_code == EXIT_BUG:
        from traceback import print_exception

        print_exception(error, file=sys.stderr)
    if asked.wants_json:
        from transom.documents.error import error_document

        console.print_json(error_document(error))
    else:
        console.print_error(error)
    return error.exit_code
