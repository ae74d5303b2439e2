"""Another Python for a node in use: its files are moved aside, and what runs the old one goes on."""

import asyncio
import hashlib
import io
import zipfile
from dataclasses import replace

import pytest
from tests.support.fleet_apply import apply
from tests.support.fleet_reset import reset

from transom.errors import TemporaryError
from transom.fleet.on_host.program import NodeProgram
from transom.node.host.values import PathKind

FOLDER = r"C:\k\transom\python"
OLD = r"C:\k\transom\old"


def archive(version):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as opened:
        for name in ("python.exe", "vcruntime140.dll", f"python{version}.dll"):
            opened.writestr(zipfile.ZipInfo(name), f"{name} {version}")
    return buffer.getvalue()


@pytest.fixture
def node(simulation):
    """The machine of a node in use, whose kube-proxy runs the Python that was brought."""
    simulation.brought = replace(simulation.brought, python=archive(312))
    apply(simulation)
    machine = simulation.machines["win-01"]
    for name in ("python.exe", "python312.dll"):
        machine.host.disk.run_image("kube-proxy", rf"{FOLDER}\{name}")
    return machine


def bring(simulation, version):
    simulation.brought = replace(simulation.brought, python=archive(version))

    async def story():
        session = await simulation.machines["win-01"].connect()
        return await NodeProgram(session).bring(simulation.brought)

    return asyncio.run(story())


def test_the_path_stays_and_what_runs_goes_on(simulation, node):
    assert bring(simulation, 313)
    files = node.host.files
    assert files.entries(FOLDER) == ("python.exe", "python313.dll", "vcruntime140.dll")
    assert files.read(FOLDER + r"\python.exe") == b"python.exe 313"
    place = rf"{OLD}\{hashlib.sha256(archive(312)).hexdigest()}"
    assert files.entries(place) == ("python.exe", "python312.dll", "vcruntime140.dll")
    running = {key for key, who in node.host.disk.images.items() if "kube-proxy" in who}
    assert running == {rf"{place}\{name}".lower() for name in ("python.exe", "python312.dll")}


def test_the_old_files_go_once_nothing_runs_them(simulation, node):
    bring(simulation, 313)
    node.host.disk.end_images("kube-proxy")
    node.host.services.stop("kubelet")
    apply(simulation)
    assert node.host.files.kind(OLD) is PathKind.ABSENT


@pytest.mark.parametrize("cut", ["python.exe", "python313.dll"])
def test_a_visit_that_is_cut_is_taken_up_by_the_next(simulation, node, cut):
    node.cut_at_put = cut
    with pytest.raises(TemporaryError):
        bring(simulation, 313)
    assert bring(simulation, 313)
    assert node.host.files.entries(FOLDER) == ("python.exe", "python313.dll", "vcruntime140.dll")
    assert not bring(simulation, 313)


def test_going_back_and_forth_moves_each_aside(simulation, node):
    for version in (313, 312, 313):
        node.host.disk.run_image("another", rf"{FOLDER}\python.exe")
        bring(simulation, version)
    first = hashlib.sha256(archive(312)).hexdigest()
    assert {first, f"{first}-2"} < set(node.host.files.entries(OLD))


def test_a_reset_takes_them_away(simulation, node):
    bring(simulation, 313)
    node.host.disk.end_images("kube-proxy")
    reset(simulation, "win-01")
    assert node.host.files.kind(r"C:\k\transom") is PathKind.ABSENT
