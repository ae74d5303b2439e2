"""One lab for each worker's whole session: a control plane and two Windows hosts, with the real binaries.

Where the machine cannot run it the tests are skipped with what is missing, except when CI=true:
there a missing package is a failure, never a silent green.
"""

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.support.lab import BareLab, Cluster, await_true

from transom_lab.doctor import lacking
from transom_lab.lab import Lab, Wish
from transom_lab.places import cache_directory, lab_directory
from transom_lab.progress import Progress
from transom_lab.standins import note_boot

_HERE = Path(__file__).parent
_CONTAINERS = ("/FeatureName:Containers", "/All", "/NoRestart")
_OWN_LABS = {"lone_lab", "bare_lab"}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test here needs the lab; building it cold is not counted against the first test.

    Files with a lab of their own take longest, so they come first, and no other lab idles beside them.
    """
    alone = {item.path for item in items if _OWN_LABS & set(getattr(item, "fixturenames", ()))}
    items.sort(key=lambda item: item.path not in alone)
    items[:] = [item for item in items if _exists(item)]
    for item in items:
        if item.path.is_relative_to(_HERE):
            item.add_marker(pytest.mark.lab)
            own = item.get_closest_marker("timeout")
            limit = own.args[0] if own else 300
            item.add_marker(pytest.mark.timeout(limit, func_only=True), append=False)


def _exists(item: pytest.Item) -> bool:
    """Whether a test is one of those that its mark `where` takes, by its parameters."""
    callspec = getattr(item, "callspec", None)
    marks = item.iter_markers("where")
    return all(mark.args[0](**callspec.params) for mark in marks) if callspec else True


@pytest.fixture(scope="session")
def machine() -> None:
    """This machine can run the lab."""
    missing = lacking()
    if missing:
        reason = "; ".join(f"{need.name} is missing ({need.remedy})" for need in missing)
        if os.environ.get("CI") == "true":
            pytest.fail(f"the lab cannot run: {reason}")
        pytest.skip(f"the lab cannot run: {reason}")


@pytest.fixture(scope="session")
def lab(machine: None) -> Iterator[Lab]:
    """A lab with two hosts that have never joined."""
    del machine
    made = new_lab("tests")
    made.down()  # what an earlier, killed run of this checkout left
    try:
        made.up(Wish(hosts=2))
        yield made
    finally:
        made.down()


def new_lab(purpose: str) -> Lab:
    """A lab of this checkout and worker, not up; two can be tested at the same time."""
    who = f"{_HERE} {os.environ.get('PYTEST_XDIST_WORKER', '')}"
    name = f"{purpose}-{hashlib.sha256(who.encode()).hexdigest()[:6]}"
    return Lab(lab_directory(name), cache=cache_directory(), progress=Progress())


@pytest.fixture(scope="session")
def lone_lab(machine: None) -> Callable[[str], Lab]:
    """`lone_lab(purpose)`: a lab of this checkout beside the session's, not up."""
    del machine
    return new_lab


@pytest.fixture(scope="session")
def bare_lab(machine: None) -> BareLab:
    """A lab of its own for a module, taken down after it."""
    del machine

    @contextmanager
    def made(
        purpose: str, *, hosts: int = 1, feature: bool = True, kubernetes: str | None = None
    ) -> Iterator[Lab]:
        lab = new_lab(purpose)
        lab.down()
        try:
            lab.up(Wish(hosts=hosts, bare=True, kubernetes=kubernetes))
            for host in lab.hosts() if feature else ():
                host.run(["dism", "/Online", "/Enable-Feature", *_CONTAINERS], check=False)
                note_boot(host.drive_c)
            yield lab
        finally:
            lab.down()

    return made


@pytest.fixture(scope="session")
def eventually() -> Callable[..., None]:
    """`eventually(claim, what, timeout_s=30)`: wait for a claim under a deadline."""
    return await_true


@pytest.fixture(scope="session")
def cluster(lab: Lab) -> Cluster:
    """The lab with the words the tests use."""
    return Cluster(lab)
