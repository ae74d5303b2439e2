"""`transom node`: the program that runs on hosts; one module per verb."""

from argparse import ArgumentParser, Namespace

from transom.cli import verbs

SUMMARY = "The node program: what Transom runs on Windows hosts, for those who bring it themselves."

_VERBS = {"build": "a folder with node.pyz and its Python, the same bytes each time"}

_EXAMPLES = """\
examples:
  transom node build -o transom-node
  transom node build --help
"""


def configure(parser: ArgumentParser) -> None:
    """Add the verbs."""
    parser.epilog = _EXAMPLES
    verbs.add_verbs(parser, __name__, _VERBS)


def run(args: Namespace) -> int:
    """Run the verb."""
    return verbs.run_verb(__name__, args)
