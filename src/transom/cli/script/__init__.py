"""`transom script`: files to start the node program with at a host's own prompt; one module per verb."""

from argparse import ArgumentParser, Namespace

from transom.cli import verbs

SUMMARY = "A PowerShell script and what it needs, for machines that are prepared by hand."

_VERBS = {"prepare": "Prepare-Node.ps1 with the recipe of one host beside it"}

_EXAMPLES = """\
examples:
  transom script prepare -f fleet.yaml --host win-01 -o win-01
  transom script prepare --help
"""


def configure(parser: ArgumentParser) -> None:
    """Add the verbs."""
    parser.epilog = _EXAMPLES
    verbs.add_verbs(parser, __name__, _VERBS)


def run(args: Namespace) -> int:
    """Run the verb."""
    return verbs.run_verb(__name__, args)
