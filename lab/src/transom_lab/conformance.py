"""Microsoft's own integration tests of hcn, run in a Windows host against the HNS stand-in.

They come from the Go module proxy, pinned by lab/native/conformance/go.sum. hcsshim's are for what
flannel and the CNI plugins use, hnslib's for what kube-proxy uses. They need a
host whose stand-in says it is version 15.5 and has no switch delay: the tests use every feature.
"""

import hashlib
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from transom_lab.locks import exclusive
from transom_lab.native import run_go
from transom_lab.scratch import lock_file, scratch
from transom_lab.sources import source

HNS_OPTIONS = ("--version", "15.5", "--switch-delay", "0")
"""How `python -m transom_lab.hns` must be started for the tests."""

_PACKAGES = {
    "hcsshim": "github.com/Microsoft/hcsshim/hcn",
    "hnslib": "github.com/Microsoft/hnslib/hcn",
}
_TAGS = "integration,integration_loadbalancer,featureroutesupport"
_RESULT = re.compile(r"^--- (PASS|FAIL|SKIP): (\S+)", re.MULTILINE)
_BUILD_TIMEOUT_S = 1200


@dataclass(frozen=True, slots=True)
class Suite:
    """One package's tests, compiled for Windows."""

    name: str
    program: Path


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one suite did, test by test, and all it printed."""

    passed: tuple[str, ...]
    failed: tuple[str, ...]
    skipped: tuple[str, ...]
    output: str


def build_suites(cache: Path, progress: Callable[[str], None]) -> tuple[Suite, ...]:
    """Compile the suites that are not in the cache yet."""
    module = source("native") / "conformance"
    pinned = (module / "go.mod").read_bytes() + (module / "go.sum").read_bytes()
    folder = cache / "conformance" / hashlib.sha256(pinned).hexdigest()[:16]
    with exclusive(lock_file(cache, folder), timeout_s=_BUILD_TIMEOUT_S):
        if not folder.is_dir():
            with scratch(folder) as made:
                (made / "suites").mkdir()
                for name, package in _PACKAGES.items():
                    progress(f"compile Microsoft's tests of {name}")
                    program = str(_program(made / "suites", name))
                    run_go(module, "test", "-c", "-tags", _TAGS, "-o", program, package)
                (made / "suites").rename(folder)
    return tuple(Suite(name, _program(folder, name)) for name in _PACKAGES)


def _program(folder: Path, name: str) -> Path:
    return folder / f"{name}.test.exe"


def run_suite(suite: Suite, drive_c: Path, run: Callable[[Sequence[str]], str]) -> Outcome:
    """Run a suite in the host whose drive C is given.

    Args:
        suite: what to run.
        drive_c: the host's drive, where the program is copied to.
        run: runs an argument list in the host; what it printed, whatever its exit code.
    """
    shutil.copyfile(suite.program, drive_c / suite.program.name)
    return read_outcome(run([f"C:\\{suite.program.name}", "-test.v"]))


def read_outcome(output: str) -> Outcome:
    """Read what a suite printed when run with `-test.v`."""
    found: dict[str, list[str]] = {"PASS": [], "FAIL": [], "SKIP": []}
    for result, test in _RESULT.findall(output.replace("\r\n", "\n")):
        found[result].append(test)
    return Outcome(tuple(found["PASS"]), tuple(found["FAIL"]), tuple(found["SKIP"]), output)
