"""`transom explain`: a rule, an API field, a version, a code, a pasted log or a live pod, in words."""

import argparse
import sys
import textwrap
from collections.abc import Iterator

from transom.cli.options import cluster_access
from transom.cli.output import console
from transom.errors import UsageError
from transom.facts.describe import Explanation
from transom.facts.explain import Answer, explain

SUMMARY = "Explain a rule, an API field, a version, an error code, a pasted error or a live pod."
WIDTH = 100
NOT_KNOWN = 1

_STDIN = "-"
_FLEET = "fleet."
_LINE_SHOWN = 300

_EPILOG = """\
What it is, since when, why, what to look at, what to do, and where that is written.

examples:
  transom explain WIN024
  transom explain pod.spec.hostIPC
  transom explain kubelet.cgroupsPerQOS
  transom explain fleet.spec.defaults.kubelet.config   a key of fleet.yaml, and what a change of it does
  transom explain gate WinDSR
  transom explain 1.23
  transom explain 2019
  transom explain 0xc0370106                        a code, as hexadecimal or exit code
  transom explain error "unknown flag: --network-plugin"
  kubectl describe pod web-0 | transom explain      a pasted log, events or a description
  transom explain hns-network-missing               a cause that `transom doctor` names
  transom explain drain                             a step, phase or error of a run
  transom explain pod/web-0 -n shop                 what a pod's status and events say
  transom explain node/win-01

exit codes: 0 explained, 1 not known, 2 usage
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add what to explain and the output."""
    parser.epilog = _EPILOG
    parser.add_argument(
        "what",
        nargs="*",
        metavar="WHAT",
        help="an id, field, version, release, code or word; `gate NAME`, `flag NAME` or "
        "`error TEXT`; - or nothing reads a text from standard input",
    )
    parser.add_argument("-o", "--output", choices=("text", "json"), default="text")
    parser.add_argument("-n", "--namespace", default="", help="of pod/NAME (default: default)")
    cluster_access.add_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Print the explanations; what is not known ends with 1."""
    words = _words(args.what)
    live = _complaints(args, words)
    if live is not None and not live:
        answer = Answer(())
    elif words[0].casefold().startswith(_FLEET):
        answer = _fleet_key(words[0])
    else:
        answer = explain(["error", "\n".join(live)] if live else words, _own_explanations())
    if args.output == "json":
        from transom.documents.explanation import explanation_document

        console.print_json(explanation_document(" ".join(words), answer))
    elif answer.explanations:
        _print(answer)
    elif live is not None:
        _print_complaints(words[0], live, answer)
    else:
        _print_unknown(answer)
    return 0 if answer.explanations or live == [] else NOT_KNOWN


def _complaints(args: argparse.Namespace, words: list[str]) -> list[str] | None:
    """What a live object says is wrong; None where another thing is asked."""
    if "/" not in words[0]:
        return None
    from transom.cli.options.live_object import complaints_of, kind_and_name

    meant = kind_and_name(words)
    return None if meant is None else complaints_of(args, *meant)


def _print_complaints(name: str, live: list[str], answer: Answer) -> None:
    if not live:
        print(f"{name}: its status and events report nothing wrong")
        return
    print(f"{name} reports:")
    for line in live:
        _part("", _short(line))
    _print_unknown(answer)


def _words(what: list[str]) -> list[str]:
    if what and what[-1] != _STDIN:
        return what
    if not what and (sys.stdin is None or sys.stdin.isatty()):
        raise UsageError(
            "nothing to explain was named",
            subject="WHAT",
            hint="name an id, a code or a message, or pipe a log into the command",
        )
    try:
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(
            "standard input cannot be read", subject="WHAT", hint="name what to explain"
        ) from error
    if not text.strip():
        raise UsageError(
            "standard input is empty",
            subject="WHAT",
            hint="pipe a log, events or `kubectl describe` into the command",
        )
    return ["error", text]


def _fleet_key(name: str) -> Answer:
    """A key of the Fleet document, by its path; what is not known gets the nearest ones."""
    from difflib import get_close_matches

    from transom.site.fleet_keys import fleet_keys

    known = {told.id.casefold(): told for told in fleet_keys()}
    wanted = name.casefold().replace("[]", "")
    if wanted in known:
        return Answer((known[wanted],))
    near = get_close_matches(wanted, known, n=2, cutoff=0.6)
    return Answer((), nearest=tuple(known[item].id for item in near))


def _own_explanations() -> Iterator[Explanation]:
    """What has an id and is no fact, read only where no fact has the id."""
    from transom.site.ids import RETIRED, own

    for registered in (*own(), *RETIRED):
        yield registered.told


def _print(answer: Answer) -> None:
    for number, told in enumerate(answer.explanations):
        if number:
            print()
        if answer.lines:
            # Only the first is what the text was asked about; the others stand beside it.
            lead = answer.sureness if not number else "also"
            print(f"{lead}: {_short(answer.lines[number])}")
        _print_one(told)
    for text in answer.codes:
        _part("code", text, start="" if text is not answer.codes[0] else "\n")
    if answer.more:
        _part("more", f"transom explain {' | '.join(answer.more)}", start="\n")


def _print_unknown(answer: Answer) -> None:
    print("not known")
    for text in answer.codes:
        _part("code", text)
    if answer.nearest:
        near = " | ".join(answer.nearest)
        _part("near", f"transom explain {near} - read whether it fits before acting on it")
    _part("do", "Paste the line with the error itself, to its end: what follows `desc =` decides.")


def _short(line: str) -> str:
    return line if len(line) <= _LINE_SHOWN else f"{line[:_LINE_SHOWN]}..."


def _print_one(told: Explanation) -> None:
    name = told.id if told.title == told.id else f"{told.id}  {told.title}"
    print(f"{console.paint(name, 'bold', stream=sys.stdout)}  ({told.kind})")
    for number, text in enumerate(told.what):
        _part("" if number else "what", text)
    _part("since", told.since)
    _part("why", told.why)
    _part("look", told.look)
    _part("do", told.do)
    _part("note", told.note)
    if told.source:
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
