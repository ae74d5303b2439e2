"""`transom join` and `transom reset`, as a person runs them, on a host that has nothing of Kubernetes.

Upstream's kubeadm.exe, kubelet.exe and kube-log-runner.exe come from the lab's mirror; the runtime is
its stand-in under containerd's name.
"""

import json
import subprocess
import sys
import threading
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Self

import pytest
from tests.lab.snapshot import files, snapshot
from tests.support.lab import BareLab

from transom_lab.fleet import LabFleet, join_flags, prepare_fleet, reset_flags
from transom_lab.host import WindowsHost
from transom_lab.lab import Lab
from transom_lab.places import cache_directory
from transom_lab.progress import Progress

pytestmark = pytest.mark.timeout(900)


@dataclass(frozen=True)
class Said:
    """What the command line answered."""

    code: int
    stdout: str
    stderr: str


@dataclass
class Site:
    """A lab with one bare host and everything that joining it needs."""

    lab: Lab
    made: LabFleet
    seen: list[str] = field(default_factory=list)

    @property
    def host(self) -> WindowsHost:
        return self.lab.host("win1")

    def transom(self, verb: str, *more: str, without: str = "") -> Said:
        """Run the command line in a process of its own; the value after `without` is left out."""
        flags = {
            "join": join_flags(self.lab, self.host, self.made),
            "reset": reset_flags(self.lab, self.host),
        }[verb]
        if without:
            at = flags.index(without)
            flags = flags[:at] + flags[at + 2 :]
        done = subprocess.run(
            [sys.executable, "-m", "transom", verb, *flags, *more],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=600,
            check=False,
        )
        self.seen += [done.stdout, done.stderr]
        return Said(done.returncode, done.stdout, done.stderr)

    def kubectl(self, *arguments: str) -> str:
        """Run kubectl as the administrator."""
        return self.lab.kubectl(*arguments)

    def secrets(self) -> set[str]:
        """The secret parts of the bootstrap tokens of joins that there are."""
        return joins(json.loads(self.kubectl(*_TOKENS))["items"])


_TOKENS = (
    *("get", "secrets", "-n", "kube-system", "-o", "json"),
    *("--field-selector", "type=bootstrap.kubernetes.io/token"),
)


def joins(tokens: list[dict[str, Any]]) -> set[str]:
    """The secret parts of those that a join of ours made."""
    found = [
        {key: b64decode(text).decode() for key, text in item["data"].items()} for item in tokens
    ]
    return {data["token-secret"] for data in found if "transom join" in data.get("description", "")}


class Spy(threading.Thread):
    """Sees every token that there was and the process lists while something else goes on."""

    def __init__(self, site: Site) -> None:
        super().__init__(daemon=True)
        self._argv = [
            *(str(site.lab.program("kubectl")), "--kubeconfig", str(site.lab.kubeconfig)),
            *(*_TOKENS, "--watch"),
        ]
        self._over = threading.Event()
        self.secrets: set[str] = set()
        self.command_lines: set[bytes] = set()

    def run(self) -> None:
        with TemporaryFile("w+") as seen:
            with subprocess.Popen(self._argv, stdout=seen) as watch:
                while not self._over.wait(0.2):
                    self._look()
                watch.kill()
            seen.seek(0)
            text = seen.read()
        while text := text.strip():
            token, end = json.JSONDecoder().raw_decode(text)
            self.secrets |= joins([token])
            text = text[end:]

    def _look(self) -> None:
        for path in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                self.command_lines.add(path.read_bytes())
            except OSError:
                continue

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self.join(30)


@pytest.fixture(scope="module")
def site(bare_lab: BareLab) -> Iterator[Site]:
    """A lab of its own, because its host starts without Kubernetes' programs and services."""
    with bare_lab("cli-join", feature=False) as lab:
        yield Site(lab, prepare_fleet(lab, cache=cache_directory(), progress=Progress()))


def test_a_bare_host_becomes_ready_stays_as_it_is_and_is_taken_back(site):
    """Join, join again, reset: one command each, and nothing is left."""
    before = snapshot(site.host)
    with Spy(site) as spy:
        joined = site.transom("join", "--reboot", "-o", "json")
    assert joined.code == 0, joined.stderr
    result = json.loads(joined.stdout)
    assert (result["node"], result["ready"]) == ("win1", True)
    assert "join" in result["changed"]
    assert "reboot the host" in joined.stderr
    _check_node(site)

    _check_token_stayed_secret(site, spy)

    there, files_before = files(site.host, "k"), _times(site.host)
    again = site.transom("join")
    assert again.code == 0, again.stderr
    assert "nothing to change" in again.stdout
    assert there == files(site.host, "k")
    assert files_before == _times(site.host)
    assert site.secrets() == set()

    refused = site.transom("reset")
    assert refused.code == 2
    assert "--yes" in refused.stderr
    _check_node(site)

    reset = site.transom("reset", "--yes")
    assert reset.code == 0, reset.stderr
    assert "its Node is deleted" in reset.stdout
    assert site.kubectl("get", "nodes", "-o", "name") == ""
    after = snapshot(site.host)
    assert {k: after.get(k) for k in before | after if before.get(k) != after.get(k)} == {}

    nothing = site.transom("reset", "--yes")
    assert nothing.code == 0
    assert "nothing of Transom" in nothing.stdout


def test_the_wrong_key_is_named(site, tmp_path):
    import asyncssh

    key = tmp_path / "other"
    key.write_bytes(asyncssh.generate_private_key("ssh-ed25519").export_private_key())
    said = site.transom("join", "--key", str(key), without="--key")
    assert said.code == 5
    assert "lets Administrator in neither by key nor by password" in said.stderr
    assert "--key" in said.stderr


def test_another_host_key_than_the_pinned_one_is_refused(site):
    import asyncssh

    other = asyncssh.generate_private_key("ssh-ed25519").export_public_key().decode().strip()
    said = site.transom("join", "--host-key", other, without="--host-key")
    assert said.code == 5
    assert "is not the one that was pinned: it shows SHA256:" in said.stderr


def test_a_host_key_nobody_knows_is_never_taken_silently(site, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    said = site.transom("join", without="--host-key")
    assert said.code == 5
    assert "is not known" in said.stderr
    assert not (tmp_path / ".ssh" / "known_hosts").exists()


def test_an_api_server_that_cannot_be_reached_is_temporary(site, tmp_path):
    config = tmp_path / "admin.conf"
    text = site.lab.kubeconfig.read_text()
    config.write_text(text.replace(f":{site.lab.record.api_port}", ":9"))
    said = site.transom("join", "--kubeconfig", str(config), without="--kubeconfig")
    assert said.code == 4
    assert "cannot reach the API server https://127.0.0.1:9" in said.stderr


def test_a_host_of_another_release_is_refused_before_anything_is_changed(site):
    said = site.transom("join", "--windows", "2025")
    assert said.code == 3
    assert "build 20348" in said.stderr
    assert not (site.host.drive_c / "k/transom/state/journal").exists()


def _check_node(site: Site) -> None:
    node = json.loads(site.kubectl("get", "node", "win1", "-o", "json"))
    conditions = {item["type"]: item["status"] for item in node["status"]["conditions"]}
    assert conditions["Ready"] == "True"
    assert node["status"]["nodeInfo"]["operatingSystem"] == "windows"


def _check_token_stayed_secret(site: Site, spy: Spy) -> None:
    """It was there, it is gone, and nothing on either side has kept it."""
    assert spy.secrets, "no token was seen: the test would prove nothing"
    assert site.secrets() == set()
    secrets = [secret.encode() for secret in spy.secrets]
    for line in spy.command_lines:
        assert not any(secret in line for secret in secrets)
    for text in site.seen:
        assert not any(secret in text.encode() for secret in secrets)
    for path in site.host.drive_c.rglob("*"):
        if path.is_file() and not path.is_symlink() and path.stat().st_size < 20_000_000:
            content = path.read_bytes()
            assert not any(secret in content for secret in secrets), path


def _times(host: WindowsHost) -> dict[str, int]:
    """When each file of ours, and each program and configuration, was last written."""
    root = host.drive_c
    return {
        path.relative_to(root).as_posix(): path.stat().st_mtime_ns
        for folder in ("k", "etc", "opt", "Program Files/containerd")
        for path in (root / folder).rglob("*")
        if path.is_file()
    }
