"""The node program on a Windows host of the lab: upstream kubeadm.exe and kubelet.exe, Wine below.

The runtime is the lab's stand-in and the kubelet runs without kube-log-runner, which the lab does not
build; everything else is the golden recipe. `lab/windows/sitecustomize.py` says what is remembered for Wine.
"""

import asyncio
import hashlib
import json
import random
import re
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import asyncssh
import pytest

import transom
from transom.model.codec import decode, encode
from transom.model.journal import Owner
from transom.model.recipe import Recipe
from transom.model.request import JoinSecrets, Request, Verb
from transom.node.build import build_node_zip
from transom_lab.binaries import Binaries
from transom_lab.controlplane import ca_certificate_hash
from transom_lab.faults import Faults
from transom_lab.lab import Wish
from transom_lab.network import CONTROL_PLANE
from transom_lab.places import cache_directory
from transom_lab.programs import Goos, program
from transom_lab.progress import Progress
from transom_lab.sshd import USER

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "data" / "recipes" / "k137-2022-containerd-flannel-overlay.json"
NODE = r"C:\Python\python.exe C:\k\transom\node.pyz"
RUNTIME = r"C:\Program Files\containerd\containerd-standin.exe"
_RULE = re.compile(r"\{[0-9A-F-]{36}\}")
# What Windows itself, the lab's stand-ins and the node program keep for themselves.
NOT_COMPARED = ("windows", "users", "ProgramData/transom-lab", "k/transom", "bundle")


@dataclass
class Answer:
    """What a command of the node program answered."""

    code: int
    lines: list[dict[str, Any]]

    @property
    def result(self):
        """The last line."""
        return self.lines[-1]


class Site:
    """A host without anything of Kubernetes, and the node program delivered to it."""

    def __init__(self, lab):
        self.lab, self.name, self.runs = lab, "win1", 0
        self.host = lab.host(self.name)
        self.ca_hash = ca_certificate_hash(lab.control_plane.ca_certificate.read_text())
        home = self.host.drive_c / "k" / "transom"
        home.mkdir(parents=True, exist_ok=True)
        (home / "node.pyz").write_bytes(build_node_zip(Path(transom.__file__).parent))
        self.recipe = self._recipe()
        self.token = ""

    def call(self, command, request=None):
        """Run a verb over SSH with the request on its standard input."""
        text = "" if request is None else json.dumps(encode(request))
        done = asyncio.run(self._call(f"{NODE} {command}", text))
        return Answer(done.exit_status or 0, [json.loads(x) for x in done.stdout.splitlines()])

    def run(self, verb, **changes):
        """Start a run apart from the session and follow it to its end."""
        self.runs += 1
        return self.call(f"{verb.value} --run t{self.runs}", self.request(verb, **changes))

    def request(self, verb, **changes):
        """A request; a join gets a token of its own."""
        owner = Owner(cluster=self.ca_hash, fleet="lab", who="cli")
        values = {"verb": verb, "recipe": self.recipe, "owner": owner, **changes}
        if verb is Verb.JOIN:
            self.token = self.lab.control_plane.create_token(
                self.lab.program("kubeadm"), ttl="1h0m0s"
            )
            values["join"] = JoinSecrets(
                endpoint=f"{CONTROL_PLANE}:6443", token=self.token, ca_hashes=(self.ca_hash,)
            )
        return Request(**values)

    def start_and_lose(self, verb, *, after_s):
        """Start a run and lose the session; return the run's name."""
        self.runs += 1
        name = f"t{self.runs}"
        text = json.dumps(encode(self.request(verb)))

        async def lose():
            connection = await self._connect()
            process = await connection.create_process(f"{NODE} {verb.value} --run {name}")
            process.stdin.write(text)
            process.stdin.write_eof()
            await process.stdout.readline()
            await asyncio.sleep(after_s)
            connection.abort()

        asyncio.run(lose())
        return name

    def snapshot(self):
        """Files by hash, services, and the registry and HNS as far as a recipe reaches."""
        files = {}
        for path in sorted(self.host.drive_c.rglob("*")):
            name = path.relative_to(self.host.drive_c).as_posix()
            own_log = name.startswith("var/log/") and path.suffix == ".log"
            if not (name.startswith(NOT_COMPARED) or own_log or path.is_symlink()):
                content = path.read_bytes() if path.is_file() else b"directory"
                files[name] = hashlib.sha256(content).hexdigest()
        services = r"HKLM\SYSTEM\CurrentControlSet\Services"
        environment = r"HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment"
        queries = [
            self.host.run(["reg", "query", key, *more], check=False)
            for key, more in (
                (services, ()),
                (environment, ("/v", "Path")),
                (rf"{services}\hns", ("/s",)),
                (rf"{services}\SharedAccess", ("/s",)),
            )
        ]
        # A firewall rule that is made again has another name in the registry.
        lines = (sorted(_RULE.sub("{rule}", text).splitlines()) for text in queries)
        return files | {f"registry {n}": "\n".join(found) for n, found in enumerate(lines)}

    def has_joined(self):
        """Whether kubeadm came to its end: then the kubelet registers by itself after a reboot."""
        kubernetes = self.host.drive_c / "etc" / "kubernetes"
        begun = (kubernetes / "bootstrap-kubelet.conf").exists()
        return (kubernetes / "kubelet.conf").exists() and not begun

    def forget_node(self):
        """Remove the Node object, as whoever resets a host does."""
        self.kubectl("delete", "node", self.name, "--ignore-not-found")

    def kubectl(self, *arguments):
        """Run kubectl as the administrator."""
        argv = [str(self.lab.program("kubectl")), "--kubeconfig", str(self.lab.kubeconfig)]
        return _output([*argv, *arguments])

    def await_ready(self, *, timeout_s=60):
        """Wait until the Node is Ready, and give it."""
        deadline = time.monotonic() + timeout_s
        while True:
            found = self.kubectl("get", "node", self.name, "--ignore-not-found", "-o", "json")
            node = json.loads(found) if found.strip() else {"status": {}}
            conditions = node["status"].get("conditions", [])
            if any(c["type"] == "Ready" and c["status"] == "True" for c in conditions):
                return node
            assert time.monotonic() < deadline, f"not Ready after {timeout_s} s"
            time.sleep(0.3)

    def _recipe(self):
        golden = decode(Recipe, json.loads(GOLDEN.read_text()))
        version = self.lab.record.kubernetes
        artifacts = []
        for name in ("kubeadm", "kubelet"):
            wanted = program(name, Goos.WINDOWS, version)
            file = Binaries(cache=cache_directory(), progress=Progress()).fetch([wanted])[wanted]
            self.host.put(file, rf"C:\bundle\{name}.exe")
            artifact = next(item for item in golden.artifacts if item.id == name)
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
            artifacts.append(replace(artifact, file=rf"C:\bundle\{name}.exe", sha256=digest))
        containerd, kubelet = golden.services
        pods = f"10.244.{self.host.plan.address.rsplit('.', 1)[1]}.0/24"
        program_at = kubelet.command.index(r"C:\k\kubelet.exe")
        return replace(
            golden,
            artifacts=tuple(artifacts),
            services=(
                replace(containerd, command=(RUNTIME, "-service", "-cidr", pods)),
                replace(kubelet, command=kubelet.command[program_at:]),
            ),
            join=replace(
                golden.join,
                node_name=self.name,
                kubelet_extra_args={"node-ip": self.host.plan.address},
            ),
            identity=replace(golden.identity, name=self.name),
        )

    async def _connect(self):
        public = asyncssh.read_public_key(self.host.host_key.with_suffix(".pub"))
        return await asyncssh.connect(
            "127.0.0.1",
            self.host.plan.local_port,
            username=USER,
            known_hosts=([public], [], []),
            config=None,
            client_keys=[str(self.lab.key)],
        )

    async def _call(self, command, text):
        connection = await self._connect()
        try:
            return await connection.run(command, input=text, timeout=200)
        finally:
            connection.close()
            await connection.wait_closed()


def _output(argv):
    import subprocess

    return subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True).stdout


@pytest.fixture(scope="module")
def site(lone_lab):
    """A lab of its own, because its host starts without Kubernetes' programs and services."""
    lab = lone_lab("node-program")
    lab.down()
    try:
        lab.up(Wish(hosts=1, bare=True))
        yield Site(lab)
    finally:
        lab.down()


@pytest.fixture
def prepared(site):
    """A host whose feature is on, prepared and not joined; reset afterwards."""
    answer = site.run(Verb.PREPARE)
    if answer.code == 4:
        site.host.reboot()
        answer = site.run(Verb.PREPARE)
    assert answer.code == 0, answer.lines
    yield site
    assert site.run(Verb.RESET).code == 0
    site.forget_node()


def differences(before, after):
    """What is not the same, by name."""
    names = sorted(set(before) | set(after))
    pairs = {name: (before.get(name), after.get(name)) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def changed(answer):
    return [line["step"] for line in answer.lines if line["state"] == "changed"]


def test_the_host_keeps_the_contract(site):
    """What the steps rely on holds on this host; Wine's gaps are the ones `sitecustomize.py` names."""
    report = site.call("selftest").result
    assert {
        check["check"]: check["problem"] for check in report["checks"] if check["problem"]
    } == {}


def test_a_feature_that_needs_a_reboot_ends_the_run_and_the_next_goes_on(site):
    first = site.run(Verb.PREPARE)
    assert (first.code, changed(first)) == (4, ["features"])
    site.host.reboot()
    second = site.run(Verb.PREPARE)
    assert second.code == 0
    assert changed(second)[-3:] == ["artifacts", "files", "services"]
    assert site.run(Verb.RESET).code == 0


def test_prepare_join_and_reset_leave_the_host_as_it_was(site):
    """Ready with its taint and label after one join; nothing to do the second time; all taken back."""
    first = site.snapshot()
    assert site.run(Verb.PREPARE).code == 0
    assert changed(site.run(Verb.PREPARE)) == []

    joined = site.run(Verb.JOIN)
    assert joined.code == 0, joined.lines
    assert changed(joined) == ["join", "protected-files"]
    node = site.await_ready()
    assert node["status"]["nodeInfo"]["kubeletVersion"] == f"v{site.lab.record.kubernetes}"
    assert {"key": "os", "value": "windows", "effect": "NoSchedule"} in node["spec"]["taints"]
    assert node["metadata"]["labels"]["transom.dev/prepared"] == "true"
    assert changed(site.run(Verb.JOIN)) == []

    reset = site.run(Verb.RESET)
    assert reset.code == 0, reset.lines
    site.forget_node()
    assert differences(first, site.snapshot()) == {}


def test_the_token_is_nowhere_on_the_host_after_a_join(prepared):
    assert prepared.run(Verb.JOIN).code == 0
    token = prepared.token.encode()
    files = (path for path in prepared.host.drive_c.rglob("*") if path.is_file())
    assert [path for path in files if token in path.read_bytes()] == []


def test_a_lost_session_changes_nothing_and_attach_shows_what_was_missed(prepared):
    name = prepared.start_and_lose(Verb.JOIN, after_s=0.1)
    attached = prepared.call(f"attach --run {name}")
    assert attached.code == 0
    assert [line["seq"] for line in attached.lines] == list(range(1, len(attached.lines) + 1))
    prepared.await_ready()
    assert prepared.host.service_state("transom-run") == ""


def test_a_wrong_token_is_undone_and_named_without_the_token(prepared):
    before = prepared.snapshot()
    request = prepared.request(Verb.JOIN)
    wrong = replace(request.join, token="abcdef.0000000000000000")
    answer = prepared.call("join --run wrong", replace(request, join=wrong))
    assert answer.code == 5
    assert "kubeadm join ended with 1" in answer.result["message"]
    assert wrong.token not in json.dumps(answer.lines)
    assert differences(before, prepared.snapshot()) == {}


@pytest.mark.parametrize("seed", range(3))
def test_a_host_that_lost_power_in_a_join_is_joined_by_the_next(prepared, seed):
    chance = random.Random(seed)
    prepared.start_and_lose(Verb.JOIN, after_s=chance.uniform(0, 4))
    faults = Faults(prepared.lab)
    faults.cut_power(prepared.name)
    faults.restore_power(prepared.name)
    if not prepared.has_joined():
        prepared.forget_node()
    answer = prepared.run(Verb.JOIN)
    assert answer.code == 0, answer.lines
    prepared.await_ready()
