"""How long `transom --version` takes beside `python -c pass`, interleaved, in one run.

Printed as a ratio of CPU time; the figure we keep is at most 3.
"""

import os
import resource
import statistics
import subprocess
import sys

RUNS = 25
COMMANDS = {
    "python -c pass": [sys.executable, "-c", "pass"],
    "transom --version": [sys.executable, "-m", "transom", "--version"],
}


def cpu_s(command: list[str]) -> float:
    """CPU seconds of one run, children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=os.environ)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    """Measure and print."""
    times: dict[str, list[float]] = {name: [] for name in COMMANDS}
    for _ in range(RUNS):
        for name, command in COMMANDS.items():
            times[name].append(cpu_s(command))
    medians = {name: statistics.median(values) for name, values in times.items()}
    base = medians["python -c pass"]
    for name, median in medians.items():
        print(f"{name:<20} {median * 1000:6.1f} ms CPU   {median / base:4.2f} x")
    return 0


if __name__ == "__main__":
    sys.exit(main())
