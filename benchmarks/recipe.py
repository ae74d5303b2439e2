"""CPU per host of a recipe, for fleets of 100, 1,000 and 4,000 hosts: linear, under 2 ms each."""

import sys
import time
from dataclasses import replace
from pathlib import Path

from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets

ROOT = Path(__file__).resolve().parent.parent
FLEET = ROOT / "tests" / "data" / "fleets" / "k137-2022-containerd-flannel-overlay.yaml"


def main() -> int:
    """Measure and print."""
    (fleet,) = read_fleets(FLEET.read_bytes(), name=FLEET.name)
    (host,) = fleet.hosts
    resolve(fleet)  # facts are read once
    for count in (100, 1_000, 4_000):
        hosts = tuple(
            replace(host, name=f"w{n:05}", address=f"10.{n >> 16}.{n >> 8 & 255}.{n & 255}")
            for n in range(count)
        )
        start = time.process_time()
        recipes = resolve(replace(fleet, hosts=hosts))
        spent = time.process_time() - start
        print(f"{len(recipes):>6} hosts  {spent / count * 1000:5.2f} ms CPU a host")
    return 0


if __name__ == "__main__":
    sys.exit(main())
