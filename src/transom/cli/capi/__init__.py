"""`transom capi`: Cluster API; one module per verb."""

from argparse import ArgumentParser, Namespace

from transom.cli import verbs

SUMMARY = "Cluster API with Windows machines."

_VERBS = {"names": "the computer names that machines get, and where two get the same"}

_EXAMPLES = """\
examples:
  transom capi names --pools prod-blue/prod-blue-mp-win prod-green/prod-green-mp-win
  transom capi VERB --help
"""


def configure(parser: ArgumentParser) -> None:
    """Add the verbs."""
    parser.epilog = _EXAMPLES
    verbs.add_verbs(parser, __name__, _VERBS)


def run(args: Namespace) -> int:
    """Run the verb."""
    return verbs.run_verb(__name__, args)
