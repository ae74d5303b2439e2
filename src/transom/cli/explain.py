"""`transom explain`: a rule, an API field, a gate, a version or a pasted error, in words."""

import argparse
import sys
import textwrap

from transom.cli import console
from transom.facts.describe import Explanation
from transom.facts.explain import Answer, explain

SUMMARY = "Explain a rule, an API field, a gate, a version or a pasted error."
WIDTH = 100

_EPILOG = """\
What it is, since when, why, what to do, and where that is written.

examples:
  transom explain WIN024
  transom explain pod.spec.hostIPC
  transom explain kubelet.cgroupsPerQOS
  transom explain gate WinDSR
  transom explain weave
  transom explain 1.23
  transom explain 2019
  transom explain error "unknown flag: --network-plugin"
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add what to explain and the output."""
    parser.epilog = _EPILOG
    parser.add_argument(
        "what",
        nargs="+",
        metavar="WHAT",
        help="an id, field, version, release or word; `gate NAME`, `flag NAME` or `error TEXT`",
    )
    parser.add_argument("-o", "--output", choices=("text", "json"), default="text")


def run(args: argparse.Namespace) -> int:
    """Print the explanations."""
    answer = explain(args.what)
    if args.output == "json":
        from transom.cli.documents.explanation import explanation_document

        console.print_json(explanation_document(" ".join(args.what), answer))
    else:
        _print(answer)
    return 0


def _print(answer: Answer) -> None:
    if answer.sureness:
        print(f"{answer.sureness}: {answer.score:.0%} of a known message was found in the text\n")
    for number, told in enumerate(answer.explanations):
        if number:
            print()
        _print_one(told)
    if answer.more:
        _part("more", f"transom explain {' | '.join(answer.more)}", start="\n")


def _print_one(told: Explanation) -> None:
    name = told.id if told.title == told.id else f"{told.id}  {told.title}"
    print(f"{console.paint(name, 'bold', stream=sys.stdout)}  ({told.kind})")
    for number, text in enumerate(told.what):
        _part("" if number else "what", text)
    _part("since", told.since)
    _part("why", told.why)
    _part("do", told.do)
    _part("note", told.note)
    _part("source", f"{told.source} ({told.confidence}, {told.checked})")


def _part(label: str, text: str, start: str = "") -> None:
    if text:
        lead = f"  {label:<7} "
        print(
            start
            + textwrap.fill(
                text,
                WIDTH,
                initial_indent=lead,
                subsequent_indent=" " * 10,
                break_on_hyphens=False,
                break_long_words=False,
            )
        )
