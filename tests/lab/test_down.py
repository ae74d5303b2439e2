"""`down` leaves nothing behind, also after the command line was killed in the middle of `up`."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from transom_lab.controlplane import Component
from transom_lab.lab import Lab, Wish
from transom_lab.namespaces import Room, processes_below
from transom_lab.progress import Progress

_PARTIAL = (Component.ETCD, Component.APISERVER)


@pytest.fixture
def second(lone_lab):
    """A lab of its own, not up."""
    made = lone_lab("down")
    made.down()
    yield made
    made.down()


def _machine() -> dict[str, object]:
    """What of the machine a lab might disturb."""
    links = subprocess.run(["ip", "-o", "link"], capture_output=True, text=True, check=True)
    return {
        "mounts": Path("/proc/self/mounts").read_text(),
        "links": links.stdout,
        "etc": sorted(entry.name for entry in Path("/etc").iterdir()),
        "tmp wine": list(Path("/tmp").glob(".wine*")),  # noqa: S108 - looked at only
        "netns": sorted(Path("/run/netns").glob("*")),
    }


def _nothing_left(lab: Lab) -> None:
    assert processes_below(lab.directory) == set()
    assert not lab.exists
    assert not lab.directory.with_suffix(".lock").exists()
    assert str(lab.directory) not in Path("/proc/self/mounts").read_text()


def test_a_host_that_died_is_made_anew_and_the_lab_goes_without_a_trace(second):
    """A killed host is seen as down, `up` brings it back, and `down` leaves nothing of all this."""
    before = _machine()
    second.up(Wish(hosts=1, bare=True))
    host = second.host("win1")
    host.room.close()
    assert not host.is_up
    second.up(Wish(hosts=1, bare=True))
    assert host.is_up
    assert processes_below(second.directory)
    second.down()
    _nothing_left(second)
    assert _machine() == before


def test_a_partial_control_plane_runs_two_processes_and_a_second_up_changes_nothing(second):
    wish = Wish(hosts=0, components=_PARTIAL)
    first = second.up(wish)
    assert second.control_plane.alive() == set(_PARTIAL)
    processes = processes_below(second.directory)
    began = time.monotonic()
    again = second.up(wish)
    assert time.monotonic() - began < 5
    assert again == first
    assert processes == processes_below(second.directory)
    second.down()
    _nothing_left(second)


_MAKER = """
import sys, time
from pathlib import Path
from transom_lab.locks import exclusive
from transom_lab.namespaces import Room
from transom_lab.processes import mortal, run_program
from transom_lab.scratch import lock_file, scratch
cache = Path(sys.argv[1])
target = cache / "prefixes" / "2022-test"
with exclusive(lock_file(cache, target), timeout_s=5), scratch(target) as folder:
    (folder / "run").mkdir()
    Room(folder / "run").open(hostname="base")
    run_program(mortal(["sleep", "599"]), timeout_s=600, env=None)
"""


def test_what_a_killed_maker_of_the_cache_left_is_ended_and_removed(second, eventually):
    """A base prefix is made in a room of its own, and programs are built by compilers."""
    cache = second.directory.with_name(f"{second.directory.name}-cache")
    lab = Lab(second.directory, cache=cache, progress=Progress())
    child = subprocess.Popen([sys.executable, "-c", _MAKER, str(cache)])
    try:
        eventually(lambda: len(_sleepers(child.pid)) == 1, "the maker works")
        (sleeper,) = _sleepers(child.pid)
        lab.down()
        assert processes_below(cache), "what is being made is left alone"
        os.kill(child.pid, signal.SIGKILL)
        child.wait(10)
        eventually(lambda: not Path(f"/proc/{sleeper}").exists(), "the compiler has ended")
        lab.down()
        assert not processes_below(cache)
        assert list((cache / "prefixes").iterdir()) == []
    finally:
        child.kill()
        Room(cache).close()
        shutil.rmtree(cache)


def _sleepers(parent: int) -> list[str]:
    """The children of a process that sleep for the time that the test asked for."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    words = {pid: Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0") for pid in children}
    return [pid for pid, command in words.items() if command[:2] == [b"sleep", b"599"]]


@pytest.mark.parametrize("after_s", [0.6, 2.5])
def test_what_a_killed_up_left_is_recognised_and_cleaned(second, after_s):
    argv = ["-m", "transom_lab", "up", "--name", second.directory.name, "--hosts", "0"]
    child = subprocess.Popen(
        [sys.executable, *argv], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    time.sleep(after_s)
    os.kill(child.pid, signal.SIGKILL)
    child.wait(10)
    second.up(Wish(hosts=0, components=_PARTIAL))
    assert second.control_plane.alive() == set(_PARTIAL)
    second.down()
    _nothing_left(second)
