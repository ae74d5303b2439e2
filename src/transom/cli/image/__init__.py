"""`transom image`: images for Windows nodes; one module per verb."""

from argparse import ArgumentParser, Namespace

from transom.cli import verbs

SUMMARY = "Images for Windows nodes."

_VERBS = {"list": "published images that the facts know"}
_EXAMPLES = """\
examples:
  transom image list --platform azure --kubernetes 1.37.1
"""


def configure(parser: ArgumentParser) -> None:
    """Add the verbs."""
    parser.epilog = _EXAMPLES
    verbs.add_verbs(parser, __name__, _VERBS)


def run(args: Namespace) -> int:
    """Run the verb."""
    return verbs.run_verb(__name__, args)
