"""Programs that run while they are replaced: nothing that runs ends, and nothing of it stays behind."""

import random
from dataclasses import replace

import pytest
from tests.support.node import newer

from transom.errors import InUse, PermanentError
from transom.model.request import Verb
from transom.node.engine.runner import Runner
from transom.node.host.values import PathKind
from transom.node.layout import Layout
from transom.testing.simulated_host import SimulatedHost

LAYOUT = Layout()
FOLDER = r"C:\Program Files\containerd"
SHIM = FOLDER + r"\containerd-shim-runhcs-v1.exe"
LIBRARY = r"C:\k\transom\python\python313.dll"


@pytest.fixture
def host():
    """A host with a program and a library that a process runs and has loaded."""
    host = SimulatedHost()
    for path in (SHIM, LIBRARY):
        host.files.make_directory(path.rpartition("\\")[0])
        host.files.write(path, b"old")
        host.disk.run_image("a pod", path)
    host.flush()
    return host


@pytest.mark.parametrize("path", [SHIM, LIBRARY], ids=["program", "library"])
def test_what_runs_is_renamed_but_neither_written_replaced_nor_removed(host, path):
    host.files.write(FOLDER + r"\new", b"new")
    for change in (
        lambda: host.disk.rename(FOLDER + r"\new", path),
        lambda: host.disk.remove(path),
        lambda: host.disk.create(path),
        lambda: host.disk.append(path, b"more"),
    ):
        with pytest.raises(InUse, match="a process runs it"):
            change()
    assert not host.disk.discard(path)
    host.disk.rename(path, path + ".aside")
    with pytest.raises(InUse):
        host.disk.remove(path + ".aside")
    host.disk.rename(FOLDER + r"\new", path)
    host.disk.end_images("a pod")
    assert host.disk.discard(path + ".aside")


def test_a_program_that_runs_is_replaced_and_goes_on(host):
    host.files.write(SHIM, b"new")
    host.files.write(FOLDER + r"\part", b"newer")
    host.disk.run_image("another pod", SHIM)
    host.files.move(FOLDER + r"\part", SHIM)
    assert host.files.read(SHIM) == b"newer"
    aside = host.files.entries(LAYOUT.old)
    assert [host.files.read(rf"{LAYOUT.old}\{name}") for name in aside] == [b"old", b"new"]
    assert sorted(host.disk.images) == sorted(
        [LIBRARY.lower(), *(rf"{LAYOUT.old}\{name}".lower() for name in aside)]
    )


def test_what_was_moved_aside_is_swept_once_nothing_runs_it(host):
    host.files.write(SHIM, b"new")
    host.files.sweep()
    assert len(host.files.entries(LAYOUT.old)) == 1
    host.disk.end_images("a pod")
    host.files.sweep()
    assert host.files.kind(LAYOUT.old) is PathKind.ABSENT
    host.files.sweep()


def test_what_was_moved_aside_is_removed_by_the_next_boot(host):
    host.files.write(SHIM, b"new")
    host.flush()
    host.disk.boot()
    assert host.files.entries(LAYOUT.old) == ()
    assert host.files.read(SHIM) == b"new"


def test_a_whole_folder_of_old_files_is_swept_as_far_as_nothing_runs_them(host):
    host.files.make_directory(LAYOUT.old + r"\a1b2")
    host.disk.rename(LIBRARY, LAYOUT.old + r"\a1b2\python313.dll")
    host.files.write(LAYOUT.old + r"\a1b2\python.exe", b"idle")
    host.files.sweep()
    assert host.files.entries(LAYOUT.old + r"\a1b2") == ("python313.dll",)


@pytest.fixture
def node(make_host, request_for):
    """A node that joined, on which the shim of a pod runs."""
    host = make_host()
    Runner(host, LAYOUT, "join").execute(request_for(Verb.JOIN))
    host.disk.run_image("a pod", SHIM)
    return host


def shims(host):
    """The files that pods' shims run."""
    return {key for key, processes in host.disk.images.items() if "a pod" in processes}


def test_an_update_of_containerd_ends_no_shim(node, request_for, recipe):
    recipe = replace(recipe, artifacts=newer(recipe).artifacts)
    Runner(node, LAYOUT, "update").execute(request_for(Verb.JOIN, recipe=recipe))
    assert node.files.read(SHIM).startswith(b"newer shim")
    (old,) = shims(node)
    assert old.startswith(LAYOUT.old.lower())
    node.flush()
    node.power_cycle(random.Random(1))
    Runner(node, LAYOUT, "again").execute(request_for(Verb.JOIN, recipe=recipe))
    assert node.files.kind(LAYOUT.old) is PathKind.ABSENT


def test_an_upgrade_that_fails_is_undone_under_shims_of_both_versions(node, request_for, recipe):
    before = node.snapshot()
    healthy = node.cluster.healthy

    def silent(name):
        if node.files.read(SHIM).startswith(b"newer"):
            node.disk.run_image("a newer pod", SHIM)
            return None
        return healthy(name)

    node.cluster.healthy = silent
    with pytest.raises(PermanentError, match="was upgraded to"):
        Runner(node, LAYOUT, "up").execute(request_for(Verb.UPGRADE, recipe=newer(recipe)))
    assert node.snapshot() == before
    assert len(shims(node)) == 1


def test_a_reset_leaves_nothing_of_what_was_moved_aside(node, request_for, recipe):
    recipe = replace(recipe, artifacts=newer(recipe).artifacts)
    Runner(node, LAYOUT, "update").execute(request_for(Verb.JOIN, recipe=recipe))
    assert node.files.kind(LAYOUT.old) is PathKind.DIRECTORY
    node.disk.end_images("a pod")
    Runner(node, LAYOUT, "reset").execute(request_for(Verb.RESET, recipe=recipe))
    assert node.files.kind(LAYOUT.old) is PathKind.ABSENT
