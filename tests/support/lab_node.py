"""The node program on a host of the lab, and what a host looks like before and after."""

import asyncio
import contextlib
import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncssh
import pytest

from transom.model.codec import decode, encode
from transom.model.journal import Owner
from transom.model.recipe import Recipe
from transom.model.request import JoinSecrets, Request, Verb
from transom_lab.controlplane import ca_certificate_hash
from transom_lab.network import CONTROL_PLANE
from transom_lab.nodeprogram import NODE, bring_program, fit_recipe
from transom_lab.sshd import USER

HERE = Path(__file__).parent

GOLDEN = HERE.parent / "data" / "recipes" / "k137-2022-containerd-flannel-overlay.json"

ENDS = ("done", "reboot", "cancelled", "failed")

PROGRAM = " ".join(NODE)

_RULE = re.compile(r"\{[0-9A-F-]{36}\}")

NOT_COMPARED = ("windows", "users", "ProgramData/transom-lab", "k/transom", "bundle")

# As flanneld makes it, on the adapter of the default route.
POD_NETWORK = {
    "SchemaVersion": {"Major": 2, "Minor": 0},
    "Name": "flannel.4096",
    "Type": "Overlay",
    "Policies": [],
    "Ipams": [
        {
            "Type": "Static",
            "Subnets": [
                {
                    "IpAddressPrefix": "10.244.0.0/24",
                    "Policies": [{"Type": "VSID", "Settings": {"IsolationId": 4096}}],
                    "Routes": [{"NextHop": "10.244.0.1", "DestinationPrefix": "0.0.0.0/0"}],
                }
            ],
        }
    ],
}


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
        bring_program(self.host)
        self.recipe = self._recipe()
        self.token = ""

    def call(self, command, request=None):
        """Run a verb over SSH with the request on its standard input."""
        text = "" if request is None else json.dumps(encode(request))
        done = asyncio.run(self._call(f"{PROGRAM} {command}", text))
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
        """Start a run and lose the session so long after its first event; return the run's name."""
        self.runs += 1
        name = f"t{self.runs}"
        self.lose(f"{verb.value} --run {name}", self.request(verb), after_s=after_s)
        return name

    def lose(self, command, request=None, *, after_s):
        """Run a verb over SSH and lose the session so long after its first line; give the lines."""
        text = "" if request is None else json.dumps(encode(request))

        async def lose():
            connection = await self._connect()
            process = await connection.create_process(f"{PROGRAM} {command}")
            process.stdin.write(text)
            process.stdin.write_eof()
            lines = [await process.stdout.readline()]
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(after_s):
                    while line := await process.stdout.readline():
                        lines.append(line)
            connection.abort()
            return lines

        return [json.loads(line) for line in asyncio.run(lose()) if line.endswith("\n")]

    def start_and_kill(self, verb, name, *, after_s):
        """Start a run and kill the starter with its session so long after it was sent its request."""
        text = json.dumps(encode(self.request(verb)))

        async def kill():
            connection = await self._connect()
            process = await connection.create_process(f"{PROGRAM} {verb.value} --run {name}")
            process.stdin.write(text)
            process.stdin.write_eof()
            await asyncio.sleep(after_s)
            connection.abort()

        asyncio.run(kill())

    def follow_through_cuts(self, verb, *, lengths_s):
        """Start a run, lose every session to it after so long, and take it up; give what was said."""
        self.runs += 1
        name = f"t{self.runs}"
        first, *others = lengths_s
        lines = self.lose(f"{verb.value} --run {name}", self.request(verb), after_s=first)
        events = self.host.drive_c / "k" / "transom" / "state" / "events" / f"{name}.jsonl"
        for after_s in (*others, 300):
            if lines[-1]["state"] in ENDS and not lines[-1]["step"]:
                break
            read = _length(events, len(lines))
            lines += self.lose(f"attach --run {name} --from {read}", after_s=after_s)
        assert [line["seq"] for line in lines] == list(range(1, len(lines) + 1))
        return lines

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
        registry = {f"registry {n}": "\n".join(found) for n, found in enumerate(lines)}
        hns = {"hns": json.dumps(self.host.hns.state(), sort_keys=True)}
        return files | registry | hns

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
        return self.lab.kubectl(*arguments)

    def await_ready(self, *, timeout_s=60):
        """Wait until the Node is Ready, and give it."""
        self.lab.await_node(self.name, timeout_s=timeout_s)
        return json.loads(self.kubectl("get", "node", self.name, "-o", "json"))

    def _recipe(self):
        golden = decode(Recipe, json.loads(GOLDEN.read_text()))
        return fit_recipe(golden, self.host, kubernetes=self.lab.record.kubernetes)

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
            return await connection.run(command, input=text, timeout=600)
        finally:
            connection.close()
            await connection.wait_closed()


def _length(events, count):
    """How many bytes the first so many events are."""
    return sum(map(len, events.read_bytes().splitlines(keepends=True)[:count]))


def differences(before, after):
    """What is not the same, by name."""
    names = sorted(set(before) | set(after))
    pairs = {name: (before.get(name), after.get(name)) for name in names}
    return {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}


def changed(answer):
    return [line["step"] for line in answer.lines if line["state"] == "changed"]


@pytest.fixture(scope="module")
def site(bare_lab):
    """A lab of its own, because its host starts without Kubernetes' programs and services."""
    with bare_lab("node-program") as lab:
        yield Site(lab)


@pytest.fixture
def prepared(site):
    """A host that is prepared and not joined; reset afterwards."""
    answer = site.run(Verb.PREPARE)
    assert answer.code == 0, answer.lines
    yield site
    assert site.run(Verb.RESET).code == 0
    site.forget_node()
