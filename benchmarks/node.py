"""What Transom adds to a join: `node.pyz join` of a bare host beside a bare kubeadm.exe join of a prepared one.

Interleaved on one host of a lab of its own, downloads excluded: programs are on the host and only verified and
placed. For each the time until the command ended and until the API server had a Ready node, which is seen by a
watch that runs beside all of them. Promised are 1.5 times the time to a Ready node for a prepared host and 3 times for a bare one, in the median and at the soonest: a kubelet
that finds no CSINode yet tries again after pauses that grow, so that some joins of either side are Ready a second late. Then what each step
costs, in a run that changes everything and in one that changes nothing. Where the machine cannot run a lab it says what is
missing; that is an error only with `--required`.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from transom.model.codec import decode, encode
from transom.model.journal import Owner
from transom.model.recipe import Recipe
from transom.model.request import JoinSecrets, Request, Verb
from transom.node.steps.join import whole_configuration
from transom_lab.controlplane import ca_certificate_hash
from transom_lab.doctor import lacking
from transom_lab.lab import Lab, Wish
from transom_lab.network import CONTROL_PLANE
from transom_lab.nodeprogram import NODE, bring_program, fit_recipe
from transom_lab.places import cache_directory, lab_directory
from transom_lab.progress import Progress

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "tests/data/recipes/k137-2022-containerd-flannel-overlay.json"
ROUNDS = 5
MOST_PREPARED, MOST_BARE = 1.5, 3.0
BARE = "node.pyz join, bare host"
READY_S = 60.0
SETTLE_S = 1.0
READY = '{.metadata.name} {.status.conditions[?(@.type=="Ready")].status}{"\\n"}'
COUNTS = r"C:\k\transom\node_counts.py"


class Bench:
    """A host of a lab, and the node program on it."""

    def __init__(self, lab: Lab) -> None:
        self.lab, self.host, self.runs = lab, lab.host("win1"), 0
        bring_program(self.host)
        golden = decode(Recipe, json.loads(GOLDEN.read_text(encoding="utf-8")))
        self.recipe = fit_recipe(golden, self.host, kubernetes=lab.record.kubernetes)
        self.pin = ca_certificate_hash(lab.control_plane.ca_certificate.read_text(encoding="ascii"))
        self.host.put(HERE / "node_counts.py", COUNTS)
        self.kubectl = (str(lab.program("kubectl")), "--kubeconfig", str(lab.kubeconfig))

    def request(self, verb: Verb) -> Request:
        """A request; a join gets a token of its own."""
        owner = Owner(cluster=self.pin, fleet="lab", who="cli")
        secrets = self.secrets() if verb is Verb.JOIN else None
        return Request(verb=verb, recipe=self.recipe, owner=owner, join=secrets)

    def secrets(self) -> JoinSecrets:
        """A fresh token."""
        token = self.lab.control_plane.create_token(self.lab.program("kubeadm"))
        return JoinSecrets(endpoint=f"{CONTROL_PLANE}:6443", token=token, ca_hashes=(self.pin,))

    def run(self, verb: Verb, request: Request | None = None) -> list[dict[str, Any]]:
        """Let the node program do a verb to its end."""
        self.runs += 1
        said = self.call(
            [*NODE, verb.value, "--run", f"b{self.runs}"], request or self.request(verb)
        )
        if said[-1]["state"] == "reboot":
            self.host.reboot()
            return self.run(verb)
        if said[-1]["state"] != "done":
            raise SystemExit(f"{verb.value} ended with {said[-1]}")
        return said

    def call(self, argv: list[str], request: Request) -> list[dict[str, Any]]:
        """Run a program of the host with a request on its standard input."""
        text = json.dumps(encode(request)).encode()
        return [
            json.loads(line) for line in self.host.run(argv, stdin=text, check=False).splitlines()
        ]

    def reset(self) -> None:
        """Take the host back to bare, but for the programs that a download would have brought."""
        self.run(Verb.RESET)
        argv = [*self.kubectl, "delete", "node", "win1", "--ignore-not-found"]
        subprocess.run(argv, check=True, capture_output=True)
        for artifact in self.recipe.artifacts:
            source = self.host.drive_c.joinpath(*artifact.file.split("\\")[1:])
            target = self.host.drive_c.joinpath(*f"{artifact.path}.part".split("\\")[1:])
            shutil.copy(source, target)

    def timed(self, join: Callable[[], object]) -> tuple[float, float]:
        """Seconds until a join ended, and until the API server had its node Ready."""
        with self.watch() as ready:
            began = time.monotonic()
            join()
            ended = time.monotonic()
            return ended - began, ready() - began

    @contextmanager
    def watch(self) -> Iterator[Callable[[], float]]:
        """Look out for a Ready node; gives what waits for it and tells when it was so."""
        seen: list[float] = []
        argv = [*self.kubectl, "get", "nodes", "--watch", "-o", f"jsonpath={READY}"]
        with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:

            def look() -> None:
                assert process.stdout is not None
                for line in process.stdout:
                    if line.split() == ["win1", "True"]:
                        seen.append(time.monotonic())
                        return

            looking = threading.Thread(target=look)
            looking.start()
            time.sleep(SETTLE_S)

            def ready() -> float:
                looking.join(READY_S)
                if not seen:
                    raise SystemExit("win1 did not become Ready")
                return seen[0]

            try:
                yield ready
            finally:
                process.kill()
                looking.join()

    def bare(self) -> tuple[float, float]:
        """Join a prepared host by kubeadm.exe alone."""
        self.run(Verb.PREPARE)
        document = json.dumps(whole_configuration(self.recipe.join, self.secrets()))
        (self.host.drive_c / "k" / "join.json").write_text(document, encoding="utf-8")
        argv = [r"C:\k\kubeadm.exe", "join", "--config", r"C:\k\join.json"]
        took = self.timed(lambda: self.host.run(argv))
        self.host.run(
            [
                *(r"C:\k\kubeadm.exe", "reset", "--force"),
                *("--cri-socket", self.recipe.join.cri_socket),
            ]
        )
        (self.host.drive_c / "k" / "join.json").unlink()
        return took

    def prepared(self) -> tuple[float, float]:
        """Join a prepared host by the node program."""
        self.run(Verb.PREPARE)
        return self.transom()

    def transom(self) -> tuple[float, float]:
        """Join the host as it is by the node program."""
        request = self.request(Verb.JOIN)
        return self.timed(lambda: self.run(Verb.JOIN, request))

    def steps(self) -> list[dict[str, Any]]:
        """What each step of a join costs now."""
        self.runs += 1
        python = NODE[0]
        return self.call([python, COUNTS, "join", f"b{self.runs}"], self.request(Verb.JOIN))


def measure(bench: Bench) -> None:
    """Interleave the three, and print the medians with the ratio of each to the bare join."""
    sides = {
        "kubeadm.exe join, prepared host": bench.bare,
        "node.pyz join, prepared host": bench.prepared,
        BARE: bench.transom,
    }
    took: dict[str, list[tuple[float, float]]] = {name: [] for name in sides}
    bench.reset()
    for _ in range(ROUNDS):
        for name, join in sides.items():
            took[name].append(join())
            bench.reset()
    load = ", ".join(f"{part:.0f}" for part in os.getloadavg())
    print(f"{ROUNDS} rounds; load of the last 1, 5 and 15 minutes {load} on {os.cpu_count()} cores")
    print(f"{'':<33}{'Ready, median':>18}{'Ready, soonest':>20}{'ended, median':>20}")
    base: list[float] = []
    for name, rows in took.items():
        ready = [row[1] for row in rows]
        ended = [row[0] for row in rows]
        found = [statistics.median(ready), min(ready), statistics.median(ended)]
        base = base or found
        ratios = [own / other for own, other in zip(found, base, strict=True)]
        cells = (f"{own:10.2f} s{x:6.2f} x" for own, x in zip(found, ratios, strict=True))
        # A kubelet may be Ready a second late, on either side: only both together say something.
        most = MOST_BARE if name == BARE else MOST_PREPARED
        verdict = "" if max(ratios[:2]) <= most else f"   more than {most} x"
        print(f"{name:<33}{' '.join(cells)}{verdict}")


def show(title: str, rows: list[dict[str, Any]]) -> None:
    """Print what each step cost."""
    print(f"\n{title:<22}{'ms':>8}{'calls':>8}{'processes':>11}{'KiB read':>10}{'written':>10}")
    total = {
        key: sum(row[key] for row in rows)
        for key in ("ms", "calls", "processes", "read", "written")
    }
    for row in [*rows, {"step": "all", **total}]:
        kib = f"{row['read'] / 1024:10.0f}{row['written'] / 1024:10.0f}"
        print(f"  {row['step']:<20}{row['ms']:8.0f}{row['calls']:8}{row['processes']:11}{kib}")


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--required", action="store_true", help="fail where no lab can run")
    args = parser.parse_args()
    if missing := lacking():
        names = ", ".join(need.name for need in missing)
        print(
            f"no figures of the node program: this machine lacks {names}; see `transom lab doctor`"
        )
        return 1 if args.required else 0
    lab = Lab(
        lab_directory(f"bench-node-{os.getpid()}"), cache=cache_directory(), progress=Progress()
    )
    lab.down()
    try:
        lab.up(Wish(hosts=1, bare=True))
        bench = Bench(lab)
        bench.run(Verb.PREPARE)  # the feature stays on
        measure(bench)
        show("a join of a bare host", bench.steps())
        show("nothing to change", bench.steps())
    finally:
        lab.down()
    return 0


if __name__ == "__main__":
    sys.exit(main())
