"""Where node.pyz begins: with what the host's own Python compiled of these very bytes, if it did.

Becomes `__main__.py` of the zip. It decides where the program is imported from, so it imports nothing
of the program itself.
"""

import os
import sys
from importlib.util import source_hash


def compiled_name(program: bytes) -> str:
    """The file beside the program that has its modules compiled by this Python, and no other."""
    return f"node-{source_hash(program).hex()}.{sys.implementation.cache_tag}.zip"


def _prefer_compiled(program: str) -> None:
    with open(program, "rb") as file:  # noqa: PTH123 - pathlib takes long to import
        name = compiled_name(file.read())
    compiled = os.path.join(os.path.dirname(program), name)  # noqa: PTH118, PTH120 - same
    if os.path.exists(compiled):  # noqa: PTH110 - same
        sys.path.insert(0, compiled)


if __name__ == "__main__":
    _prefer_compiled(sys.argv[0])

    from transom.node.program import main

    sys.exit(main())
