"""`python -m transom.node`."""

import sys

from transom.node.verbs.program import main

sys.exit(main())
