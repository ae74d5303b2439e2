"""`transom facts`: the support matrix, or everything that holds for a pair of versions."""

import argparse
import sys
import textwrap
from collections.abc import Sequence

from transom.cli.output import console
from transom.errors import UsageError
from transom.facts.catalogue import GROUPS
from transom.facts.describe import summary
from transom.facts.matrix import Cell, Line, Matrix, matrix
from transom.facts.rows import At, Row, one, read
from transom.facts.windows import Release, Support
from transom.model.version import Version

SUMMARY = "Show what is true for which Kubernetes and Windows version."
WIDTH = 100

_EPILOG = """\
Without options: which Windows release runs with which Kubernetes minor, and what differs in each
cell. With options: every fact that holds there, by subject, with the id that `explain` takes.

examples:
  transom facts
  transom facts --kubernetes 1.37 --windows 2022
  transom facts --kubernetes 1.30 --windows ltsc2019 --containerd 1.7.28
  transom facts --windows 2025 -o json
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the versions to ask about and the output."""
    parser.epilog = _EPILOG
    parser.add_argument("--kubernetes", metavar="VERSION", help="a Kubernetes version: 1.37")
    parser.add_argument("--windows", metavar="RELEASE", help="a release or build: 2022, 20348")
    parser.add_argument("--containerd", metavar="VERSION", help="a containerd version: 2.3.7")
    parser.add_argument("-o", "--output", choices=("text", "json"), default="text")


def run(args: argparse.Namespace) -> int:
    """Print the matrix, or the facts of one place."""
    if (args.kubernetes, args.windows, args.containerd) != (None, None, None):
        release = _release(args.windows)
        at = At(
            kubernetes=_version("--kubernetes", args.kubernetes),
            build=release.build if release else None,
            containerd=_version("--containerd", args.containerd),
        )
        if at.kubernetes is not None:
            one(Support, "windows-support", at=At(kubernetes=at.kubernetes))
        found = [(group.title, list(group.rows(at))) for group in GROUPS]
        if args.output == "json":
            from transom.documents.facts import facts_document

            console.print_json(facts_document(at, release, found))
        else:
            _print_place(at, release, found)
    elif args.output == "json":
        from transom.documents.facts import matrix_document

        console.print_json(matrix_document(matrix()))
    else:
        _print_matrix(matrix())
    return 0


def _version(option: str, text: str | None) -> Version | None:
    if text is None:
        return None
    try:
        return Version.parse(text)
    except ValueError as error:
        raise UsageError(f"{option} {text!r} is no version", hint="write 1.37 or 1.37.1") from error


def _release(text: str | None) -> Release | None:
    if text is None:
        return None
    wanted = text.casefold().removeprefix("10.0.")
    for row in read(Release):
        if wanted in (name.casefold() for name in (row.id, str(row.build), *row.aliases)):
            return row
    known = ", ".join(row.id for row in read(Release))
    raise UsageError(f"there is no Windows Server release {text!r}", hint=f"known are {known}")


def _print_matrix(table: Matrix) -> None:
    letters = {mark: chr(ord("a") + number) for number, mark in enumerate(table.marks)}
    header = ["KUBERNETES", "STAGE", *(release.id for release in table.releases)]
    console.print_table(
        header,
        [
            [line.minors, line.support.stage, *(_cell(cell, letters) for cell in line.cells)]
            for line in table.lines
        ],
    )
    print("\n+ supported, - not; letters are what differs there:")
    for mark, letter in letters.items():
        _print_wrapped(f"  {letter}  ", f"{mark}: {table.marks[mark]}")
    print()
    console.print_table(
        ["KUBERNETES", "CONTAINERD", "DOCKER", "PAUSE", "HOST PROGRAMS AS"],
        [[line.minors, *_runtimes(line)] for line in table.lines],
    )
    print("\ncontainerd: the least version of each series. More: transom explain 1.37 | 2022 | ID")


def _cell(cell: Cell, letters: dict[str, str]) -> str:
    return "+" + "".join(letters[mark] for mark in cell.marks) if cell.supported else "-"


def _runtimes(line: Line) -> tuple[str, ...]:
    support = line.support
    least = ", ".join(support.containerd_minimums) or "-"
    if support.containerd_stage not in ("", "stable"):
        least += f" ({support.containerd_stage})"
    docker = f"{support.docker_minimum}+ by {support.docker_by}" if support.docker_minimum else "-"
    pause = line.pause.image.rpartition(":")[2] if line.pause else "-"
    return least, docker, pause, ", ".join(line.ways)


def _print_place(
    at: At, release: Release | None, found: Sequence[tuple[str, Sequence[Row]]]
) -> None:
    print(_verdict(at, release))
    for title, rows in found:
        if not rows:
            continue
        print(f"\n{console.paint(f'{title} ({len(rows)})', 'bold', stream=sys.stdout)}")
        for row in rows:
            _print_wrapped(f"  {row.id}  ", summary(row, at))


def _verdict(at: At, release: Release | None) -> str:
    names = []
    if at.kubernetes is not None:
        names.append(f"Kubernetes {at.kubernetes.minor_text}")
    if release is not None:
        names.append(release.name)
    if at.containerd is not None:
        names.append(f"containerd {at.containerd}")
    text = ", ".join(names)
    if at.kubernetes is None or release is None:
        return text
    support = one(Support, "windows-support", At(kubernetes=at.kubernetes))
    if release.build in support.builds:
        return f"{text}: supported"
    return f"{text}: not supported; this minor runs on {', '.join((*support.ltsc, *support.sac))}"


def _print_wrapped(start: str, text: str) -> None:
    indent = " " * min(len(start), 12)
    print(
        textwrap.fill(
            text,
            WIDTH,
            initial_indent=start,
            subsequent_indent=indent,
            break_on_hyphens=False,
            break_long_words=False,
        )
    )
