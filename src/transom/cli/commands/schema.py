"""`transom schema`: the JSON Schemas of documents, for editors, validators and programs."""

import argparse
import json
import re
import sys
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from transom.errors import UsageError

SUMMARY = "Print or write the schema of a document that Transom reads or prints."

_FILE = re.compile(r"(?P<name>.+)-v[0-9]+[a-z]*[0-9]*\.schema\.json")

_EXAMPLES = """\
examples:
  transom schema                                  print the schema of fleet.yaml
  transom schema -o fleet-v1alpha2.schema.json    write it beside fleet.yaml
  transom schema lock-report                      print the schema of `transom lock -o json`
  transom schema --format crd                     Fleet and WindowsHost as CustomResourceDefinitions
  transom schema --format openapi -o transom-openapi.json
                                                  which lists kustomize merges, and by which keys

With the file beside it, this first line of fleet.yaml gives completion, hover texts and mistakes
while typing, in every editor that uses yaml-language-server:

  # yaml-language-server: $schema=./fleet-v1alpha2.schema.json

With transom-openapi.json beside it, `openapi: {path: transom-openapi.json}` in a kustomization makes a
patch that names one pool or host change only that one. kustomize then knows no other kinds: keep
other objects in a kustomization of their own.
"""

_JSON_SCHEMA, _CRD, _OPENAPI = "json-schema", "crd", "openapi"


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
        "--format",
        choices=(_JSON_SCHEMA, _CRD, _OPENAPI),
        default=_JSON_SCHEMA,
        help="for editors and validators, for an API server, or for kustomize (default: json-schema)",
    )
    parser.add_argument(
        "-o", "--output", default="-", metavar="FILE", help="write to FILE; `-` prints (default)"
    )


def run(args: argparse.Namespace) -> int:
    """Print or write it."""
    text = _text(args.document, args.format)
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


def _text(document: str, form: str) -> str:
    if form == _JSON_SCHEMA:
        return _shipped()[document].read_text(encoding="utf-8")
    if document != "fleet":
        raise UsageError(
            f"{document} has no form {form}",
            subject=document,
            hint=f"`transom schema --format {form}` prints that of Fleet and WindowsHost",
        )
    # Only these two forms need the declarations.
    from transom.spec.crd import RESOURCES, definition
    from transom.spec.kustomize import openapi
    from transom.spec.shapes.document import API_VERSION
    from transom.yamlio.writing import write_all

    if form == _CRD:
        return write_all(definition(resource) for resource in RESOURCES)
    documents = [resource.document for resource in RESOURCES]
    return json.dumps(openapi(API_VERSION, documents), indent=2) + "\n"


def _shipped() -> dict[str, Traversable]:
    """The schema files of this installation, by the names of their documents."""
    folder = files("transom").joinpath("schemas")
    found = ((_FILE.fullmatch(file.name), file) for file in folder.iterdir())
    return {match["name"]: file for match, file in found if match is not None}
