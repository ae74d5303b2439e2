"""A fleet as a person runs it, told as one story in order: two bare hosts, a third, and all that goes wrong.

Upstream's kubeadm.exe, kubelet.exe and kube-log-runner.exe of two versions come from the lab's mirror;
the runtime is its stand-in under containerd's name.
"""

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncssh
import pytest
import yaml
from tests.lab.snapshot import files, snapshot
from tests.support.lab import BareLab, await_true
from tests.support.lab_node import POD_NETWORK

from transom.cli.main import main
from transom.kube.client import HttpDoor
from transom.remote.ssh import SshSession
from transom_lab.controlplane import ARGUMENTS, PROGRAMS, Component
from transom_lab.faults import Faults
from transom_lab.fleet import LabFleet, prepare_fleet
from transom_lab.host import WindowsHost
from transom_lab.lab import Lab
from transom_lab.places import cache_directory
from transom_lab.progress import Progress

pytestmark = pytest.mark.timeout(900)

_NAMES = ("win1", "win2", "win3")
_OLD = "1.36.4"
_TIMEOUT_S = 300
# What the kubelet, the runtime and the pod's own program make in the host for a HostProcess pod.
_OF_THE_GUARDED_POD = ("Python/__pycache__", "dev", "hpc", "var/run")
_CONTROL_PLANE = (Component.APISERVER, Component.CONTROLLER_MANAGER, Component.SCHEDULER)

Change = Callable[[Any], None]


@dataclass(frozen=True)
class Told:
    """What a command said."""

    code: int
    out: str
    err: str

    @property
    def text(self) -> str:
        """Both streams, for whoever wonders."""
        return self.out + self.err

    @property
    def hosts(self) -> dict[str, Any]:
        """The hosts of its document, by name."""
        return {host["host"]: host for host in json.loads(self.out)["hosts"]}


@dataclass
class Site:
    """A lab with three bare hosts and everything that a fleet of them needs."""

    lab: Lab
    made: LabFleet

    @property
    def faults(self) -> Faults:
        """What can happen to the hosts."""
        return Faults(self.lab)

    def host(self, name: str) -> WindowsHost:
        """One of the hosts."""
        return self.lab.host(name)

    def words(
        self, verb: str, *more: str, fleet: Change | None = None, file: Path | None = None
    ) -> list[str]:
        """A command line; `fleet` changes the document first, `file` is another one."""
        path = file or self.made.fleet
        if fleet is not None:
            document = yaml.safe_load(path.read_text("utf-8"))
            fleet(document["spec"])
            path = path.with_name("changed.yaml")
            path.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
        given = ["-f", str(path)]
        if verb != "reset":
            given += ["--lock", str(self.made.lock), "--python", str(self.made.python)]
        if verb in ("plan", "apply"):
            given += ["--no-addons"]  # test_addon_pods brings them
        return [verb, *given, *more]

    def transom(
        self,
        verb: str,
        *more: str,
        fleet: Change | None = None,
        file: Path | None = None,
        when: Mapping[str, Callable[[], None]] | None = None,
    ) -> Told:
        """Run a command; as soon as a line of its progress has a text, what hangs on it is done."""
        argv = [sys.executable, "-m", "transom", *self.words(verb, *more, fleet=fleet, file=file)]
        waiting, said = dict(when or {}), []
        with subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            guard = threading.Timer(_TIMEOUT_S, process.kill)
            guard.start()
            assert process.stderr is not None
            for line in process.stderr:
                said.append(line)
                for text in [text for text in waiting if text in line]:
                    waiting.pop(text)()
            out = process.communicate()[0]
            guard.cancel()
        assert not waiting, f"never said: {waiting}\n{out}{''.join(said)}"
        return Told(process.returncode, out, "".join(said))

    def kubectl(self, *arguments: str, stdin: str = "") -> str:
        """Run kubectl as the administrator."""
        return self.lab.kubectl(*arguments, stdin=stdin)

    def nodes(self) -> dict[str, Any]:
        """The cluster's Nodes, by name."""
        items = json.loads(self.kubectl("get", "nodes", "-o", "json"))["items"]
        return {item["metadata"]["name"]: item for item in items}

    def kubelets(self) -> dict[str, str]:
        """The version of every Node's kubelet."""
        nodes = self.nodes().items()
        return {name: node["status"]["nodeInfo"]["kubeletVersion"] for name, node in nodes}

    def restart_control_plane(self) -> None:
        """Take the API server away for three seconds, and with it those that lose their lease."""
        plane = self.lab.control_plane
        for component in _CONTROL_PLANE:
            plane.room.stop(component)
        time.sleep(3)
        for component in _CONTROL_PLANE:
            program = str(self.lab.program(PROGRAMS[component]))
            argv = [program, *ARGUMENTS[component](plane.directory)]
            plane.room.spawn(component, argv, log=plane.directory / f"{component}.log")
            await_true(self._answers, "the API server answers", timeout_s=60)

    def _answers(self) -> bool:
        argv = [str(self.lab.program("kubectl")), "--kubeconfig", str(self.lab.kubeconfig)]
        done = subprocess.run([*argv, "get", "nodes"], capture_output=True, timeout=60, check=False)
        return done.returncode == 0


def when(claim: Callable[[], bool], act: Callable[[], None]) -> threading.Thread:
    """Do something as soon as a claim is true, beside whatever else goes on."""

    def watch() -> None:
        deadline = time.monotonic() + _TIMEOUT_S
        while not claim() and time.monotonic() < deadline:
            time.sleep(0.01)
        act()

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    return thread


@pytest.fixture(scope="module")
def site(bare_lab: BareLab) -> Iterator[Site]:
    """A lab of its own, because its hosts start without Kubernetes' programs and services."""
    with bare_lab("fleet", hosts=3) as lab:
        made = prepare_fleet(lab, cache=cache_directory(), progress=Progress(), kubernetes=[_OLD])
        yield Site(lab, made)


@pytest.fixture(scope="module")
def before(site):
    """The hosts before anything was done to them."""
    return {name: snapshot(site.host(name)) for name in _NAMES}


@pytest.fixture(scope="module")
def joined(site):
    """All hosts are Ready nodes of the fleet, whatever happened before."""
    told = site.transom("apply", "--yes")
    assert told.code == 0, told.text
    return site


def two(spec: Any) -> None:
    """The fleet without its third host."""
    del spec["hosts"][2]


def tokens(site: Site) -> str:
    """The cluster's bootstrap tokens."""
    return site.kubectl(
        *("get", "secrets", "-n", "kube-system", "-o", "name"),
        *("--field-selector", "type=bootstrap.kubernetes.io/token"),
    )


def is_uploading(host: WindowsHost) -> bool:
    """Whether Python is on its way to the host."""
    return any((host.drive_c / "k/transom/python").glob("*"))


def test_a_host_becomes_ready_as_planned_though_the_network_is_cut_in_the_upload_to_another(
    site, before
):
    kept = tokens(site)  # kubeadm's own, made with the cluster
    planned = site.transom("plan", "-o", "json", fleet=two)
    assert planned.code == 1, planned.text
    assert {name: snapshot(site.host(name)) for name in _NAMES} == before

    cutting = when(
        lambda: is_uploading(site.host("win2")), lambda: site.faults.cut_sessions("win2")
    )
    told = site.transom("apply", "--yes", "-o", "json", fleet=two)
    cutting.join()
    assert told.code == 4, told.text
    cut, done = told.hosts["win2"], told.hosts["win1"]
    assert cut["outcome"] == "failed"
    assert cut["error"].startswith("the session with [127.0.0.1]:")
    assert cut["error"].endswith("was cut")
    assert cut["hint"] == "run the same command again: it goes on from what is there"

    plan = planned.hosts["win1"]
    said, changed = [step["step"] for step in plan["steps"]], list(dict.fromkeys(done["changed"]))
    assert changed[: len(said)] == said
    assert set(changed[len(said) :]) <= set(plan["afterwards"])
    assert (done["outcome"], done["ready"], done["kubelet"]) == ("changed", True, _OLD)
    assert set(site.nodes()) == {"win1"}
    assert tokens(site) == kept


def test_a_host_that_dies_and_one_with_a_full_disk_are_told_apart(site):
    """win2 loses power inside kubeadm.exe and comes back; win3, which is new, has no room."""
    site.faults.fill_disk("win3", free_kib=512)
    site.faults.cut_power_at_write("win2", program="kubeadm.exe", write=2)
    host = site.host("win2")
    booting = when(
        lambda: not (site.faults.awaits_power_cut("win2") or host.is_up),
        lambda: site.faults.restore_power("win2"),
    )
    told = site.transom("apply", "--yes", "-o", "json")
    booting.join()
    site.faults.free_disk("win3")
    assert told.code == 5, told.text
    outcomes = {name: told.hosts[name]["outcome"] for name in _NAMES}
    assert outcomes == {"win1": "unchanged", "win2": "failed", "win3": "failed"}
    dead, full = told.hosts["win2"], told.hosts["win3"]
    assert re.search(r"took \d+ of \d+ bytes of C:\\k\\transom", full["error"])
    assert full["hint"] == "its disk is full, or a quota is: make room there"
    assert dead["error"].endswith("was cut off on the host, which was stopped or restarted")
    assert dead["hint"] == "Run the same command again: it goes on where the run was stopped."


def test_a_second_apply_completes_through_a_lost_network_and_an_api_server_that_restarts(site):
    """Making the first HNS network takes the host's network and every session with it, as Windows does."""
    host = site.host("win3")

    def make_network() -> None:
        host.hns.interrupt_at_next_switch(down_s=3)
        host.hns.call("HcnCreateNetwork", text=json.dumps(POD_NETWORK))
        site.faults.cut_sessions("win3")

    told = site.transom(
        *("apply", "--yes"),
        when={
            "win3            changed  Join the cluster": site.restart_control_plane,
            "win3            changed  Install programs": make_network,
        },
    )
    assert told.code == 0, told.text
    assert set(site.kubelets().values()) == {f"v{_OLD}"}
    assert set(site.nodes()) == set(_NAMES)


@pytest.fixture
def counted(monkeypatch):
    """What goes to hosts and to the API server."""
    seen: dict[str, list[str]] = {"connections": [], "commands": [], "files": [], "writes": []}

    def count(owner: Any, name: str, kind: str) -> None:
        original = getattr(owner, name)

        def wrapped(*args: Any, **more: Any) -> Any:
            if not more.get("dry_run"):
                seen[kind].append(name)
            return original(*args, **more)

        monkeypatch.setattr(owner, name, wrapped)

    count(asyncssh.SSHClientConnection, "connection_made", "connections")
    count(SshSession, "run", "commands")
    count(SshSession, "_sftp", "files")
    for name in ("create", "patch", "replace", "apply", "delete", "evict"):
        count(HttpDoor, name, "writes")
    return seen


def test_an_apply_with_nothing_to_do_is_one_connection_two_commands_and_no_write(
    joined, counted, capsys
):
    def there() -> dict[str, dict[str, str]]:
        return {name: files(joined.host(name), "k") for name in _NAMES}

    was = there()
    assert main(joined.words("apply")) == 0
    assert "nothing to do" in capsys.readouterr().out
    # Whose the folder is, then what has changed.
    assert [len(counted[kind]) for kind in ("connections", "commands")] == [3, 6]
    assert counted["files"] == []
    assert counted["writes"] == []
    assert there() == was


def ssh_of(spec: Any, number: int) -> dict[str, Any]:
    """How one host of the document is reached."""
    found: dict[str, Any] = spec["hosts"][number]["connection"]["ssh"]
    return found


def test_status_shows_them_as_ready_one_of_them_reached_by_password(joined, monkeypatch):
    def by_password(spec: Any) -> None:
        ssh_of(spec, 0)["credential"] = {"env": "WINDOWS_PASSWORD"}

    secret = joined.host("win1").password_file.read_text("ascii").strip()
    monkeypatch.setenv("WINDOWS_PASSWORD", secret)
    told = joined.transom("status", fleet=by_password)
    assert told.code == 0, told.text
    assert [line.split()[3] for line in told.out.splitlines()[2:5]] == ["Ready"] * 3


def test_every_host_that_cannot_be_reached_says_why(joined, monkeypatch):
    """A wrong password, a host key that changed, nobody at the port: in one plan."""
    other = asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode().strip()

    def change(spec: Any) -> None:
        ssh_of(spec, 0)["credential"] = {"env": "WINDOWS_PASSWORD"}
        ssh_of(spec, 1)["hostKey"] = other
        ssh_of(spec, 2)["port"] = 9

    monkeypatch.setenv("WINDOWS_PASSWORD", "wrong")
    told = joined.transom("plan", "-o", "json", fleet=change)
    assert told.code == 5
    said = {name: host["error"] for name, host in told.hosts.items()}
    assert "lets Administrator in neither by key nor by password" in said["win1"]
    assert "is not the one that was pinned: it shows SHA256:" in said["win2"]
    assert "cannot reach [127.0.0.1]:9 by SSH" in said["win3"]
    assert all(host["hint"] for host in told.hosts.values())


def test_another_fleet_and_a_network_of_another_mode_are_refused(joined):
    def other_mode(spec: Any) -> None:
        spec["network"]["flannel"] = {"mode": "l2bridge"}

    told = joined.transom("plan", "--host", "win1", fleet=other_mode)
    assert told.code == 3
    assert "vxlan in ConfigMap kube-flannel-cfg" in told.text

    path = joined.made.fleet.with_name("another.yaml")
    path.write_text(
        joined.made.fleet.read_text("utf-8").replace("name: lab", "name: another"), encoding="utf-8"
    )
    told = joined.transom("plan", "--host", "win1", file=path)
    assert told.code == 3
    assert "fleet lab, cluster sha256:" in told.out


GUARDED = """
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: till, namespace: kube-system}
spec:
  minAvailable: 1
  selector: {matchLabels: {app: till}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: till, namespace: kube-system}
spec:
  selector: {matchLabels: {app: till}}
  template:
    metadata: {labels: {app: till}}
    spec:
      nodeSelector: {kubernetes.io/hostname: win1}
      hostNetwork: true
      priorityClassName: system-node-critical  # stays also where the machine's disk is nearly full
      terminationGracePeriodSeconds: 1
      tolerations: [{key: node.kubernetes.io/disk-pressure, operator: Exists}]
      securityContext:
        windowsOptions: {hostProcess: true, runAsUserName: 'NT AUTHORITY\\SYSTEM'}
      containers:
      - name: till
        image: registry.example/till:1
        command: ["C:/Python/python.exe", "-c", "import time; time.sleep(3600)"]
"""


def test_an_upgrade_waits_for_a_budget_and_is_done_when_it_yields(joined):
    """The fleet's file is changed with it; the other nodes were not named and stay."""

    def hurried(spec: Any) -> None:
        spec.setdefault("defaults", {})["upgrade"] = {"drain": {"timeout": "6s"}}

    def till() -> Any:
        found = json.loads(
            joined.kubectl("get", "deployment/till", "-n", "kube-system", "-o", "json")
        )
        return found["status"].get("availableReplicas", 0)

    newer = joined.lab.record.kubernetes
    joined.kubectl("apply", "-f", "-", stdin=GUARDED)
    await_true(lambda: till() == 1, "the guarded pod runs", timeout_s=60)
    words = ("upgrade", "--to", newer, "--host", "win1", "--yes")
    told = joined.transom(*words, "-o", "json", fleet=hurried)
    assert told.code == 4, told.text
    blocked = told.hosts["win1"]
    assert re.search(r"win1 did not empty in 6 s: kube-system/till-\S+: .*budget", blocked["error"])
    assert "unschedulable" not in joined.nodes()["win1"]["spec"]
    assert joined.kubelets()["win1"] == f"v{_OLD}"

    joined.kubectl("delete", "pdb/till", "-n", "kube-system")
    told = joined.transom(*words, fleet=hurried)
    assert told.code == 0, told.text
    assert "let its pods leave" in told.err
    assert f"version: {newer}" in joined.made.fleet.with_name("changed.yaml").read_text("utf-8")
    assert joined.kubelets() == {"win1": f"v{newer}", "win2": f"v{_OLD}", "win3": f"v{_OLD}"}
    assert "unschedulable" not in joined.nodes()["win1"]["spec"]
    joined.kubectl("delete", "deployment/till", "-n", "kube-system")


def boots(host: WindowsHost) -> int:
    """How often the host was started."""
    file = host.drive_c / "ProgramData/transom-lab/boot.json"
    return int(json.loads(file.read_text())["number"]) if file.exists() else 0


def test_maintenance_reboots_a_node_and_is_not_repeated_on_the_same_day(joined):
    host = joined.host("win2")
    words = ("maintain", "--host", "win2", "--yes", "--", r"C:\windows\system32\hostname.exe")
    booted = boots(host)
    told = joined.transom(*words)
    assert told.code == 0, told.text
    assert "reboot the host" in told.err
    assert boots(host) == booted + 1
    again = joined.transom(*words)
    assert again.code == 0, again.text
    assert "unchanged" in again.err


def test_a_node_that_others_made_is_refused_until_it_is_adopted(joined):
    """What Transom wrote down of win3 is gone, so that nobody knows who made it."""
    state = joined.host("win3").drive_c / "k/transom/state"
    for path in sorted(state.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    refused = joined.transom("apply", "--host", "win3")
    assert refused.code == 3, refused.text
    assert "`transom adopt --host win3` takes it over as it is." in refused.out
    adopted = joined.transom("adopt", "--host", "win3", "--yes")
    assert adopted.code == 0, adopted.text
    planned = joined.transom("plan", "--host", "win3")
    assert planned.code in (0, 1), planned.text


def test_a_reset_returns_every_host(joined, before):
    """Those that Transom made become bare; the one it adopted is its maker's node again."""
    told = joined.transom("reset", "--all", "--yes")
    assert told.code == 0, told.text
    assert set(joined.nodes()) == {"win3"}
    assert "win3 is a node as it was found when it was adopted" in told.out
    for name in ("win1", "win2"):
        was, after = before[name], snapshot(joined.host(name))
        changed = {k: after.get(k) for k in was | after if was.get(k) != after.get(k)}
        assert {k: v for k, v in changed.items() if not k.startswith(_OF_THE_GUARDED_POD)} == {}
