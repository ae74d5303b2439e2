"""`python -m transom.node`."""

import sys

from transom.node.program import main

sys.exit(main())
