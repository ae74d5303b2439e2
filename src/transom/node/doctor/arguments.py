"""What the verbs `doctor` and `collect` take, apart from what does them: a join imports none of that."""

import argparse

VERBS = ("doctor", "collect")


def add_arguments(verb: argparse.ArgumentParser, name: str) -> None:
    """Declare what the two verbs take."""
    verb.add_argument(
        "--given", action="store_true", help="read recipe and cluster's view (Given) on stdin"
    )
    if name == "collect":
        verb.add_argument("--into", default="", metavar="FOLDER", help="where the archive goes")
    if name == "doctor":
        verb.add_argument("-o", "--output", choices=["text", "json"], default="text")
        verb.add_argument(
            "--image", action="store_true", help="whether the host is fit to be an image"
        )
