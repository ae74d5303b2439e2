"""What the verb `run` takes, apart from what does it: a join imports none of that."""

import argparse

from transom.node.layout import Layout

VERB = "run"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the verb's arguments."""
    parser.add_argument("name", help="the program of the recipe: kube-proxy, flannel")
    parser.add_argument("--service", default="", help="be the Windows service of this name")
    parser.add_argument("--home", default=Layout().home, help="where the program keeps its state")
