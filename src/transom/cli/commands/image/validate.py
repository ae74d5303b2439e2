"""`transom image validate`: every mistake in a rendered folder, before anything is built."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from transom.cli.environment import environment

if TYPE_CHECKING:
    from transom.documents.images import ImageValidation

SUMMARY = "every mistake in a rendered folder, before anything is built"

_EXAMPLES = """\
examples:
  transom image validate image
  transom image validate image -o json

packer judges the template where it is installed (`packer init` brings its plugin), cloudbase-init its own
configuration where the Python package is; what could not be judged is said. Nothing is built or reached.
exit codes: 0 nothing wrong, 1 mistakes, 2 usage
"""


def configure(parser: ArgumentParser) -> None:
    """Add the folder."""
    parser.epilog = _EXAMPLES
    parser.add_argument("folder", metavar="DIR", help="what `transom image render` wrote")
    parser.add_argument("-o", "--output", choices=["text", "json"], default="text")


def run(args: Namespace) -> int:
    """Judge, and say what was judged by whom."""
    from transom.site.image_check import check_image

    report = check_image(Path(args.folder), environment())
    if args.output == "json":
        from transom.cli.output import console

        console.print_json(report)
    else:
        _print(report)
    return 1 if report.mistakes else 0


def _print(report: "ImageValidation") -> None:
    for mistake in report.mistakes:
        where = ": ".join(filter(None, (mistake.file, mistake.path)))
        print(f"{where}: {mistake.message}")
        if mistake.hint:
            print(f"  next: {mistake.hint}")
    for text in report.skipped:
        print(f"NOT JUDGED: {text}")
    count = len(report.mistakes)
    verdict = f"{count} mistake{'' if count == 1 else 's'}" if count else "nothing wrong"
    files = f"{report.files} file{'' if report.files == 1 else 's'}"
    print(f"{report.folder}: {files}, {verdict}")
