"""`transom convert`: documents of an earlier form written in the present one."""

import sys
from argparse import ArgumentParser, Namespace
from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli.options import fleet_file
from transom.cli.output import console
from transom.errors import UsageError

if TYPE_CHECKING:
    from transom.spec.v1alpha1.rewriting import Rewritten

SUMMARY = "Write fleets of transom.dev/v1alpha1 as v1alpha2; what they mean stays the same."

_EXAMPLES = """\
examples:
  transom convert -f fleet.yaml                   print it as v1alpha2
  transom convert -f fleet.yaml --diff            show what would change
  transom convert -f fleet.yaml --write           change the file
  transom convert -f fleet.yaml --out new.yaml    write another file
  transom convert -f - < old.yaml > new.yaml

A kubeconfig, credentials, a bundle and files of this machine move to a Client document in the same file.
Comments before a document are kept. Those inside it are not: each is named, with its line.

exit codes: 0 done, 1 with --diff something would change, 2 usage or a document with mistakes
"""


def configure(parser: ArgumentParser) -> None:
    """Add the files and what becomes of them."""
    parser.epilog = _EXAMPLES
    fleet_file.add_argument(parser)
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--diff", action="store_true", help="show the changes and write nothing")
    way.add_argument("--write", action="store_true", help="change the files, and show the changes")
    way.add_argument("--out", metavar="FILE", help="write to FILE; - prints (default)")


def run(args: Namespace) -> int:
    """Convert every file, or say what is wrong with each."""
    names = [file for name in args.filename.names for file in fleet_file.listed(name)]
    if len(names) > 1 and not (args.write or args.diff):
        raise UsageError(
            f"{len(names)} files cannot become one", hint="use --write, or name one file"
        )
    if args.write and fleet_file.STANDARD_INPUT in names:
        raise UsageError(
            "standard input cannot be changed", hint="leave out --write: it is printed"
        )
    from transom.spec.v1alpha1.rewriting import rewritten

    read = [(name, fleet_file.read_bytes(name)) for name in names]
    done = [(name, old, rewritten(old, name=_called(name))) for name, old in read]
    for name, old, new in done:
        _give(args, name, old, new)
    return 1 if args.diff and any(new.changed for _, _, new in done) else 0


def _called(name: str) -> str:
    return "standard input" if name == fleet_file.STANDARD_INPUT else name


def _give(args: Namespace, name: str, old: bytes, new: "Rewritten") -> None:
    """Print, show or write one file."""
    if args.diff or args.write:
        if not new.changed:
            console.note(f"{_called(name)} is v1alpha2 already")
            return
        before, after = (text.splitlines(keepends=True) for text in (old.decode(), new.text))
        sys.stdout.writelines(unified_diff(before, after, f"a/{name}", f"b/{name}"))
    if args.write:
        from transom.cli.output.rewriting import replace_file

        replace_file(Path(name), new.text.encode())
        console.note(f"{name} is transom.dev/v1alpha2 now")
    elif not args.diff:
        _put(args.out, new.text)
    for comment in new.lost:
        console.note(f"{_called(name)}:{comment.line}: not kept: {comment.text}")


def _put(out: str | None, text: str) -> None:
    if out in (None, "-"):
        print(text, end="")
        return
    try:
        Path(str(out)).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        hint = "name a file in a folder you may write to"
        raise UsageError(f"cannot write {out}", subject=str(out), hint=hint) from error
    console.note(f"written: {out}")
