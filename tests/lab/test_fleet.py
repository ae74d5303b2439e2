"""`transom plan`, `apply`, `status` and `reset` of a fleet, as a person runs them, on two bare hosts.

Upstream's kubeadm.exe, kubelet.exe and kube-log-runner.exe come from the lab's mirror; the runtime is
its stand-in under containerd's name.
"""

import json
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import asyncssh
import pytest
import yaml
from lightkube import AsyncClient
from tests.lab.snapshot import files, snapshot

from transom.cli.main import main
from transom.remote.ssh import SshSession
from transom_lab.faults import Faults
from transom_lab.fleet import LabFleet, prepare_fleet
from transom_lab.lab import Lab, Wish
from transom_lab.places import cache_directory
from transom_lab.progress import Progress

pytestmark = pytest.mark.timeout(900)

_NAMES = ("win1", "win2")


@dataclass
class Site:
    """A lab with two bare hosts and everything that a fleet of them needs."""

    lab: Lab
    made: LabFleet

    def words(self, verb: str, *more: str, fleet: Any = None) -> list[str]:
        """A command line; `fleet` changes the document first."""
        path = self.made.fleet
        if fleet is not None:
            document = yaml.safe_load(path.read_text("utf-8"))
            fleet(document["spec"])
            path = path.with_name("changed.yaml")
            path.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
        given = ["-f", str(path), *more]
        if verb != "reset":
            given += ["--lock", str(self.made.lock), "--python", str(self.made.python)]
        if verb in ("plan", "apply"):
            given += ["--no-addons"]  # test_addon_pods brings them
        return [verb, *given]

    def kubectl(self, *arguments: str, stdin: str = "") -> str:
        """Run kubectl as the administrator."""
        argv = [str(self.lab.program("kubectl")), "--kubeconfig", str(self.lab.kubeconfig)]
        done = subprocess.run(
            [*argv, *arguments], capture_output=True, text=True, timeout=60, check=True, input=stdin
        )
        return done.stdout

    def files(self) -> dict[str, dict[str, str]]:
        """What the hosts' programs, configuration and state are."""
        return {name: files(self.lab.host(name), "k") for name in _NAMES}


@pytest.fixture(scope="module")
def site(lone_lab: Callable[[str], Lab]) -> Iterator[Site]:
    """A lab of its own, because its hosts start without Kubernetes' programs and services."""
    lab = lone_lab("fleet")
    lab.down()
    try:
        lab.up(Wish(hosts=2, bare=True))
        yield Site(lab, prepare_fleet(lab, cache=cache_directory(), progress=Progress()))
    finally:
        lab.down()


@pytest.fixture(scope="module")
def before(site):
    """The hosts before anything was done to them."""
    return {name: snapshot(site.lab.host(name)) for name in _NAMES}


@pytest.fixture
def counted(monkeypatch):
    """What goes to hosts and to the API server."""
    seen: dict[str, list[str]] = {"connections": [], "commands": [], "files": [], "writes": []}

    def count(owner: Any, name: str, kind: str) -> None:
        original = getattr(owner, name)

        def wrapped(*args: Any, **more: Any) -> Any:
            seen[kind].append(name)
            return original(*args, **more)

        monkeypatch.setattr(owner, name, wrapped)

    count(asyncssh, "connect", "connections")
    count(SshSession, "run", "commands")
    count(SshSession, "_sftp", "files")
    for name in ("create", "patch", "replace", "delete"):
        count(AsyncClient, name, "writes")
    return seen


def run(words: list[str], capsys: Any) -> tuple[int, str, str]:
    """Run the command line here, so that it can be counted."""
    capsys.readouterr()
    code = main(words)
    said = capsys.readouterr()
    return code, said.out, said.err


@pytest.fixture
def joined(site, before, capsys):
    """Both hosts are Ready nodes of the fleet."""
    del before
    code, out, err = run(site.words("apply", "--yes"), capsys)
    assert code == 0, out + err
    return site


def tokens(site):
    """The cluster's bootstrap tokens."""
    return site.kubectl(
        *("get", "secrets", "-n", "kube-system", "-o", "name"),
        *("--field-selector", "type=bootstrap.kubernetes.io/token"),
    )


def test_two_bare_hosts_become_ready_as_planned_and_then_nothing_is_to_do(
    site, before, capsys, counted
):
    kept = tokens(site)  # kubeadm's own, made with the cluster
    code, out, err = run(site.words("plan", "-o", "json"), capsys)
    assert code == 1, out + err
    planned = json.loads(out)
    assert {name: snapshot(site.lab.host(name)) for name in _NAMES} == before
    assert counted["writes"] == []

    code, out, err = run(site.words("apply", "--yes", "-o", "json"), capsys)
    assert code == 0, out + err
    result = {host["host"]: host for host in json.loads(out)["hosts"]}
    for host in planned["hosts"]:
        said, changed = [step["step"] for step in host["steps"]], result[host["host"]]["changed"]
        once = list(dict.fromkeys(changed))
        assert once[: len(said)] == said
        assert set(once[len(said) :]) <= set(host["afterwards"])
        assert result[host["host"]]["ready"] is True
    nodes = json.loads(site.kubectl("get", "nodes", "-o", "json"))["items"]
    assert {node["metadata"]["name"] for node in nodes} == set(_NAMES)
    assert tokens(site) == kept

    there = site.files()
    for seen in counted.values():
        seen.clear()
    code, out, err = run(site.words("apply"), capsys)
    assert code == 0, out + err
    assert "nothing to do" in out
    assert [len(counted[kind]) for kind in ("connections", "commands")] == [2, 2]
    assert counted["files"] == []
    assert counted["writes"] == []
    assert site.files() == there


def test_status_shows_both_as_ready(joined, capsys):
    code, out, err = run(joined.words("status"), capsys)
    assert code == 0, out + err
    assert [line.split()[3] for line in out.splitlines()[1:3]] == ["Ready", "Ready"]


def test_every_failure_has_its_own_message_and_the_other_host_is_looked_at(
    joined, capsys, tmp_path
):
    key = tmp_path / "other"
    other = asyncssh.generate_private_key("ssh-ed25519")
    key.write_bytes(other.export_private_key())
    public = other.export_public_key().decode().strip()

    def ssh(**changes: Any) -> Callable[[Any], None]:
        def change(spec: Any) -> None:
            spec["hosts"][0]["connection"]["ssh"].update(changes)

        return change

    cases = {
        "lets Administrator in neither by key nor by password": ssh(credential={"file": str(key)}),
        "is not the one that was pinned: it shows SHA256:": ssh(hostKey=public),
        "cannot reach [127.0.0.1]:9 by SSH": ssh(port=9),
    }
    for message, change in cases.items():
        code, out, _ = run(joined.words("plan", fleet=change), capsys)
        assert message in out
        assert "win2: nothing to do" in out
        assert code in (4, 5)


def test_a_password_opens_the_door_and_a_wrong_one_is_told(joined, capsys, monkeypatch):
    def change(spec: Any) -> None:
        spec["hosts"][0]["connection"]["ssh"]["credential"] = {"env": "WINDOWS_PASSWORD"}

    monkeypatch.setenv(
        "WINDOWS_PASSWORD", joined.lab.host("win1").password_file.read_text("ascii").strip()
    )
    assert run(joined.words("plan", "--host", "win1", fleet=change), capsys)[0] == 0
    monkeypatch.setenv("WINDOWS_PASSWORD", "wrong")
    code, out, _ = run(joined.words("plan", "--host", "win1", fleet=change), capsys)
    assert code == 5
    assert "neither by key nor by password" in out


def test_another_fleet_is_refused(joined, capsys):
    path = joined.made.fleet
    path.with_name("another.yaml").write_text(
        path.read_text("utf-8").replace("name: lab", "name: another"), encoding="utf-8"
    )
    words = joined.words("plan")
    words[words.index(str(path))] = str(path.with_name("another.yaml"))
    code, out, _ = run(words, capsys)
    assert code == 3
    assert "fleet lab, cluster sha256:" in out


def test_a_network_of_another_mode_is_refused(joined, capsys):
    def change(spec: Any) -> None:
        spec["network"]["flannel"] = {"mode": "l2bridge"}

    code, out, err = run(joined.words("plan", fleet=change), capsys)
    assert code == 3, out + err
    assert "vxlan in ConfigMap kube-flannel-cfg" in out + err


def test_a_host_whose_network_is_cut_is_told_and_comes_back(joined, capsys):
    """The host is there by SSH and cannot reach the API server: its kubelet is lost, not the host."""
    faults = Faults(joined.lab)
    faults.cut_network("win1")
    try:
        code, out, err = run(joined.words("plan"), capsys)
        assert code == 0, out + err
    finally:
        faults.mend_network("win1")


def test_a_reset_returns_every_host(joined, before, capsys):
    code, out, err = run(joined.words("reset", "--all", "--yes"), capsys)
    assert code == 0, out + err
    assert joined.kubectl("get", "nodes", "-o", "name") == ""
    for name in _NAMES:
        after = snapshot(joined.lab.host(name))
        was = before[name]
        assert {k: after.get(k) for k in was | after if was.get(k) != after.get(k)} == {}
