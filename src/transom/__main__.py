"""`python -m transom` is `transom`."""

import sys

from transom.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
