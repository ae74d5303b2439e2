"""`transom schema`: the JSON Schemas of documents, for editors, validators and programs."""

import argparse
import re
import sys
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from transom.errors import UsageError

SUMMARY = "Print or write the JSON Schema of a document that Transom reads or prints."

_FILE = re.compile(r"(?P<name>[a-z-]+)-v\d+(?:alpha\d+|beta\d+)?\.schema\.json")

_EXAMPLES = """\
examples:
  transom schema                                  print the schema of fleet.yaml
  transom schema -o fleet-v1alpha1.schema.json    write it beside fleet.yaml
  transom schema lock-report                      print the schema of `transom lock -o json`

With the file beside it, this first line of fleet.yaml gives completion, hover texts and mistakes
while typing, in every editor that uses yaml-language-server:

  # yaml-language-server: $schema=./fleet-v1alpha1.schema.json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the document and where the schema goes."""
    parser.epilog = _EXAMPLES
    parser.add_argument(
        "document",
        nargs="?",
        choices=sorted(_shipped()),
        default="fleet",
        help="the document whose schema is wanted (default: fleet)",
    )
    parser.add_argument(
        "-o", "--output", default="-", metavar="FILE", help="write to FILE; `-` prints (default)"
    )


def run(args: argparse.Namespace) -> int:
    """Print or write it."""
    text = _shipped()[args.document].read_text(encoding="utf-8")
    if args.output == "-":
        print(text, end="")
        return 0
    try:
        Path(args.output).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(
            f"cannot write {args.output}",
            subject=args.output,
            hint="name a file in a folder you may write to, or leave out -o to print",
        ) from error
    print(f"written: {args.output}", file=sys.stderr)
    return 0


def _shipped() -> dict[str, Traversable]:
    """The schema files of this installation, by the names of their documents."""
    folder = files("transom").joinpath("schemas")
    found = {file: _FILE.fullmatch(file.name) for file in folder.iterdir()}
    return {match["name"]: file for file, match in found.items() if match is not None}
