r"""The upstream containerd.exe reads its configuration and serves a kubelet; it runs no containers here.

As a Windows service it stops again under Wine, so it runs as a console program.
"""

import json
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from transom_lab.lab import KUBELET_COMMAND, prepare

_CONFIGURATION = r"""
version = 4
root = 'C:\ProgramData\containerd\root'
state = 'C:\ProgramData\containerd\state'
# virtdisk is missing below these two.
disabled_plugins = ['io.containerd.snapshotter.v1.cimfs', 'io.containerd.snapshotter.v1.blockcim']
[plugins.'io.containerd.server.v1.grpc']
address = '\\.\pipe\containerd-containerd'
[plugins.'io.containerd.cri.v1.runtime'.cni]
conf_dir = 'C:\etc\cni\net.d'
bin_dirs = ['C:\opt\cni\bin']
"""
_NETWORK = '{"cniVersion": "1.0.0", "name": "n", "plugins": [{"type": "win-overlay"}]}'
_GOLDEN = Path(__file__).parents[1] / "data/recipes/k137-2022-containerd-flannel-overlay.json"
_RECIPE = next(
    file["content"]
    for file in json.loads(_GOLDEN.read_text("utf-8"))["files"]
    if file["path"].endswith("config.toml")
)
_MINUTES = ("image_pull_progress_timeout", "1h0m0s")  # the same, should it be written anew
_PIPE_CLIENT = r"""
import time
for _ in range(50):
    try:
        open(r"\\.\pipe\containerd-containerd", "r+b", buffering=0).close()
        break
    except OSError:
        time.sleep(0.2)
"""


@pytest.fixture(scope="module")
def host(cluster):
    """The second host with containerd.exe and its configuration; the stand-in is put back after."""
    cluster.reset("win2")
    found = cluster.lab.host("win2")
    found.put(cluster.windows_program("containerd"), r"C:\k\containerd.exe")
    _write(found, r"C:\k\config.toml", _CONFIGURATION)
    _write(found, r"C:\k\warm.py", _PIPE_CLIENT)
    yield found
    found.room.stop("containerd")
    cluster.reset("win2")
    for service in ("kubelet", "containerd"):
        found.run(["sc", "stop", service], check=False)
        found.run(["sc", "delete", service], check=False)
    prepare(found)


def _leaves(table: dict[str, Any], *above: str) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _leaves(value, *above, name)
        else:
            yield (*above, name), value


def _at(table: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        table = table.get(name, {})
    return table


def _write(host: Any, place: str, text: str) -> None:
    scratch = host.directory / "scratch"
    scratch.write_text(text)
    host.put(scratch, place)


def test_a_good_configuration_is_accepted(cluster, host):
    answer = cluster.ssh(
        host.plan.name, r"C:\k\containerd.exe --config C:\k\config.toml config dump"
    )
    assert answer.code == 0, answer.text
    assert r"C:\etc\cni\net.d" in answer.stdout.replace("\\\\", "\\")


def test_the_recipes_configuration_is_read_as_meant(cluster, host):
    """Every key of the recipe is one that this containerd has: it repeats each with our value."""
    _write(host, r"C:\k\recipe.toml", _RECIPE)
    answer = cluster.ssh(
        host.plan.name, r"C:\k\containerd.exe --config C:\k\recipe.toml config dump"
    )
    assert answer.code == 0, answer.text
    read = tomllib.loads(answer.stdout)
    for path, value in _leaves(tomllib.loads(_RECIPE)):
        assert _at(read, path) == value or (path[-1], _at(read, path)) == _MINUTES, path


def test_a_wrongly_typed_option_is_refused_with_its_name(cluster, host):
    _write(host, r"C:\k\bad.toml", "version = 4\noom_score = 'high'\n")
    answer = cluster.ssh(host.plan.name, r"C:\k\containerd.exe --config C:\k\bad.toml config dump")
    assert answer.code != 0
    assert "into struct field config.Config.OOMScore of type int" in answer.text, answer.text


def test_a_kubelet_is_ready_on_containerd_once_a_network_is_configured(cluster, host, eventually):
    """The Node is NotReady for want of a network, and Ready when the CNI configuration appears."""
    for service in ("kubelet", "containerd"):
        host.run(["sc", "stop", service], check=False)
        host.await_service(service, "STOPPED")
    host.run(["sc", "delete", "kubelet"])
    host.create_service("kubelet", f"{KUBELET_COMMAND} --hostname-override=win2")
    (host.drive_c / "etc/cni/net.d").mkdir(parents=True, exist_ok=True)
    host.room.spawn(
        "containerd",
        [str(host.wine.loader), r"C:\k\containerd.exe", "--config", r"C:\k\config.toml"],
        log=host.directory / "containerd.log",
        env=host.wine.environment(host.prefix),
        cwd=host.drive_c / "k",
    )
    # In Wine the first client of a Go named pipe waits in vain: be that client.
    host.run([r"C:\Python\python.exe", r"C:\k\warm.py"])
    joined = cluster.join("win2")
    assert joined.code == 0, joined.text
    info = cluster.get("node", "win2")["status"]["nodeInfo"]
    eventually(lambda: _runtime(cluster) == "containerd://2.3.7", f"the runtime is real: {info}")
    time.sleep(1)
    assert not cluster.is_ready("win2")
    _write(host, r"C:\etc\cni\net.d\10-n.conflist", _NETWORK)
    try:
        cluster.await_ready("win2")
    finally:
        (host.drive_c / "etc/cni/net.d/10-n.conflist").unlink()


def _runtime(cluster: Any) -> str:
    version: str = cluster.get("node", "win2")["status"]["nodeInfo"]["containerRuntimeVersion"]
    return version
