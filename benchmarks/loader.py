"""How fast the loader is: CPU time against PyYAML's CSafeLoader, in one run.

Both read the same generated manifests in turn, and the best round of each counts, so that a busy
machine disturbs the ratio little. The loader also keeps the place of every value; CSafeLoader
does not. Exits with 1 below the promised ratio.
"""

import sys
import time
from collections.abc import Callable, Sequence

import yaml

import corpus
from transom.yamlio.loader import load

PROMISED = 2.0
_FILES = 400
_ROUNDS = 7


def main() -> int:
    """Measure, print, and judge."""
    texts = [text.encode() for text in corpus.manifests(_FILES)]
    best = _race({"CSafeLoader": _read_with_pyyaml, "loader": _read}, texts)
    megabytes = sum(map(len, texts)) / 1e6
    for name, seconds in best.items():
        print(f"{name:12} {seconds:7.3f} s CPU  {megabytes / seconds:6.2f} MB/s")
    ratio = best["CSafeLoader"] / best["loader"]
    print(f"loader is {ratio:.2f} x CSafeLoader (promised: {PROMISED})")
    return 0 if ratio >= PROMISED else 1


def _race(
    runners: dict[str, Callable[[bytes], object]], texts: Sequence[bytes]
) -> dict[str, float]:
    best = dict.fromkeys(runners, float("inf"))
    for _ in range(_ROUNDS):
        for name, read in runners.items():
            start = time.process_time()
            for text in texts:
                read(text)
            best[name] = min(best[name], time.process_time() - start)
    return best


def _read(text: bytes) -> object:
    return load(text, name="corpus")


def _read_with_pyyaml(text: bytes) -> object:
    return list(yaml.load_all(text, Loader=yaml.CSafeLoader))


if __name__ == "__main__":
    sys.exit(main())
