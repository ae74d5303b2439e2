"""The names of all tests of upstream's e2e.test, one file for each minor.

`make e2e-lists MINOR=…` writes them from what the program itself prints.
"""

import gzip
import re
from pathlib import Path

FOLDER = Path(__file__).parent / "e2e"
# How e2e.test calls itself; Ginkgo matches it together with a test's name.
SUITE = "Kubernetes e2e suite"
_LISTED = re.compile(r"\s+\S+\.go:[0-9]+: (.+)")


def names(minor: str, folder: Path = FOLDER) -> tuple[str, ...] | None:
    """Every test of a minor such as `1.37`, sorted; None where no list was made."""
    path = folder / f"{minor}.txt.gz"
    if not path.is_file():
        return None
    return tuple(gzip.decompress(path.read_bytes()).decode().splitlines())


def listed(output: str) -> list[str]:
    """The names in what `e2e.test --list-tests` prints: lines of a place in the source, and a name."""
    return [match[1] for line in output.splitlines() if (match := _LISTED.fullmatch(line))]


def packed(tests: list[str]) -> bytes:
    """The file of a list: the same bytes for the same tests."""
    return gzip.compress("".join(f"{name}\n" for name in sorted(tests)).encode(), mtime=0)
