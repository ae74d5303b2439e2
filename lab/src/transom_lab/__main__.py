"""`python -m transom_lab`: the lab's command without the product's dispatcher, for work on the lab itself."""

import argparse
import sys

from transom.errors import TransomError
from transom_lab.cli import SUMMARY, configure, run


def main() -> int:
    """Parse, run, and turn an error into a sentence and its exit code."""
    parser = argparse.ArgumentParser(prog="transom lab", description=SUMMARY)
    configure(parser)
    args = parser.parse_args()
    try:
        return run(args)
    except TransomError as error:
        for line in (f"error: {error.message}", f"hint: {error.hint}" if error.hint else ""):
            if line:
                sys.stderr.write(line + "\n")
        return error.exit_code


if __name__ == "__main__":
    sys.exit(main())
