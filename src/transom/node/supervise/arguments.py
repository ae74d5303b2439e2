"""What the verbs that keep something running take, apart from what does them: a join imports none of that."""

import argparse

KEEP_RUNNING = "run"
KEEP_NETWORKS = "keep-networks"


def add_running_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare which program is kept, and as what."""
    parser.add_argument("name", help="the program of the recipe: kube-proxy, flannel")
    parser.add_argument("--service", default="", help="be the Windows service of this name")


def add_networks_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare as what the networks are kept."""
    parser.add_argument("--service", required=True, help="the Windows service to be")
