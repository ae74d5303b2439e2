"""Measure lint against its peers over one corpus, interleaved in one run, by CPU time.

Run by people: `python benchmarks/lint.py [--peers FOLDER]`. Fails where a promised ratio is
missed. CPU time of the whole process tree counts; the least of all rounds is compared. Then the
same over ten times as many files, for time and memory, and with a process per core.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import peers
from corpus import manifests

FILES = 500
ROUNDS = 5
START_ROUNDS = 15
KUBECONFORM_SHARE = 0.5
CHECKOV_SHARE = 1 / 15
START_RATIO = 6.0
VERSION_RATIO = 3.0
FEW, MANY = 2_000, 20_000
# Of ten times the files: hardly more time each, and no more memory than the buffers that few files
# do not fill yet.
TIME_GROWTH = 1.15 * MANY / FEW
MEMORY_GROWTH = 1.2

TRANSOM = [sys.executable, "-m", "transom"]
_TELL_PEAK = """
import sys
from transom.cli.main import main
main(sys.argv[1:])
with open("/proc/self/status") as status:
    sys.stderr.write(next(line for line in status if line.startswith("VmHWM")))
"""
# Start-up is promised with compiled modules, as an installed package has them.
ENVIRONMENT = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}


def main() -> int:
    """Measure, print and judge."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", type=Path, help="where peers are installed, to keep them")
    parser.add_argument("--files", type=int, default=FILES)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch, "corpus")
        folder.mkdir()
        for number, text in enumerate(manifests(args.files)):
            (folder / f"{number:05}.yaml").write_text(text, newline="")
        installed = (args.peers or Path(scratch, "peers")).resolve()
        installed.mkdir(parents=True, exist_ok=True)
        kept = [*_throughput(folder, installed), *_start(folder / "00000.yaml")]
        kept += _growth(Path(scratch))
    return 0 if all(kept) else 1


def _throughput(folder: Path, installed: Path) -> list[bool]:
    commands = {"transom lint": _lint(folder)}
    kubeconform, schemas = peers.kubeconform(installed), peers.schemas(installed)
    if kubeconform and schemas:
        location = f"{schemas}/{{{{ .ResourceKind }}}}{{{{ .KindSuffix }}}}.json"
        options = ["-n", "1", "-ignore-missing-schemas", "-schema-location", location]
        commands["kubeconform -n 1"] = [str(kubeconform), *options, "-output", "json", str(folder)]
    checkov = peers.checkov(installed)
    if checkov:
        options = ["--framework", "kubernetes", "--quiet", "--compact", "-o", "json"]
        commands["checkov"] = [str(checkov), *options, "-d", str(folder)]
    kube_linter = peers.kube_linter(installed)
    if kube_linter:
        commands["kube-linter"] = [str(kube_linter), "lint", "--format", "json", str(folder)]
    best = _race(commands, ROUNDS)
    ours = best["transom lint"]
    return [
        _judge(name, ours, best[name], share)
        for name, share in (("kubeconform -n 1", KUBECONFORM_SHARE), ("checkov", CHECKOV_SHARE))
        if name in best
    ]


def _start(file: Path) -> list[bool]:
    best = _race(
        {
            "python -c pass": [sys.executable, "-c", "pass"],
            "transom --version": [*TRANSOM, "--version"],
            "transom lint one.yaml": [*TRANSOM, "lint", str(file)],
        },
        START_ROUNDS,
    )
    base = best["python -c pass"]
    return [
        _judge("python -c pass", best["transom --version"], base, VERSION_RATIO),
        _judge("python -c pass", best["transom lint one.yaml"], base, START_RATIO),
    ]


def _growth(scratch: Path) -> list[bool]:
    folder = scratch / "many"
    few = scratch / "few"
    for place, number in ((few, FEW), (folder, MANY)):
        place.mkdir()
        for count, text in enumerate(manifests(number)):
            (place / f"{count:05}.yaml").write_text(text, newline="")
    measured = {place: _usage(_lint(place)) for place in (few, folder)}
    for place, (cpu, wall, memory) in measured.items():
        print(f"{len(list(place.iterdir())):6} files: {cpu:.2f} s CPU, {wall:.1f} s, {memory} KiB")
    cores = os.cpu_count() or 1
    cpu, wall, memory = _usage([*_lint(folder), "-j", "0"])
    print(
        f"{MANY:6} files, -j {cores}: {cpu:.2f} s CPU, {wall:.1f} s, {memory} KiB in the first process"
    )
    return [
        _judge(f"CPU of {FEW} files", measured[folder][0], measured[few][0], TIME_GROWTH),
        _judge(f"memory of {FEW} files", measured[folder][2], measured[few][2], MEMORY_GROWTH),
    ]


def _lint(folder: Path) -> list[str]:
    return [*TRANSOM, "lint", "-o", "json", "--fail-on", "never", str(folder)]


def _usage(command: Sequence[str]) -> tuple[float, float, int]:
    """CPU and wall time in seconds, and the peak of memory in KiB, of one command of Transom.

    The process tells its peak itself: that of `wait4` begins with the memory of whoever started it.
    """
    begun, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    words = command[len(TRANSOM) :]
    child = subprocess.run(
        [sys.executable, "-c", _TELL_PEAK, *words],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
        timeout=600,
    )
    after, wall = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic() - begun
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return cpu, wall, int(child.stderr.split()[-2])


def _race(commands: Mapping[str, Sequence[str]], rounds: int) -> dict[str, float]:
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(_cpu(command))
    for name, taken in times.items():
        middle = sorted(taken)[len(taken) // 2]
        print(f"{name:24} least {min(taken):8.3f} s  median {middle:8.3f} s CPU")
    print(f"load average {os.getloadavg()[0]:.1f}")
    return {name: min(taken) for name, taken in times.items()}


def _cpu(command: Sequence[str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        command,
        check=False,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=ENVIRONMENT,
        timeout=600,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def _judge(peer: str, ours: float, theirs: float, most: float) -> bool:
    kept = ours <= most * theirs
    print(f"{ours / theirs:.3f} x {peer}: {'kept' if kept else 'MISSED'} (at most {most:.3f})")
    return kept


if __name__ == "__main__":
    sys.exit(main())
