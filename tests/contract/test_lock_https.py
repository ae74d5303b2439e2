"""`transom lock` from end to end, against real HTTPS servers on this machine."""

import hashlib
import json
from pathlib import Path

import pytest
from tests.artifacts import artifact
from tests.contract.web import Handler, ProxyServer, body

from transom.cli.commands import lock as lock_command
from transom.cli.main import main
from transom.cli.options import lock_file
from transom.errors import UsageError
from transom.model.lock import SumFrom
from transom.recipe.lock import PinnableArtifact, pinned
from transom.recipe.resolve import resolve
from transom.spec.fleet import read_fleets

CONTENT = bytes(range(256)) * 400
SUM = hashlib.sha256(CONTENT).hexdigest()
OTHER = b"tampered" * 100
SECRET = "Bearer s3cr3t-value"
DATA = Path(__file__).parents[1] / "data"

SMALL = Path(__file__).parents[2] / "examples" / "small.yaml"


class Everything(dict[str, list[Handler]]):
    """Every path of a mirror: the content, and its sum where a sum is asked for."""

    def get(self, path, _default=None):
        """What is scripted for a path."""
        name, _, kind = path.rpartition("/")[2].rpartition(".")
        is_sum = kind in ("sha256", "sha256sum")
        return [body(f"{SUM}  {name}\n".encode() if is_sum else CONTENT)]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a fleet, and no proxy or token in the environment."""
    for name in ("https_proxy", "HTTPS_PROXY", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    home = tmp_path / "home"
    home.mkdir()
    (home / "fleet.yaml").write_bytes(SMALL.read_bytes())
    return home


@pytest.fixture
def lock(monkeypatch, folder, ca_file, capsys):
    """Run `transom lock` for these artifacts; give the exit code and the JSON printed."""

    def run(pinnables, *options, online=True):
        monkeypatch.setattr(lock_command, "wanted_by", lambda _fleet: pinnables)
        trust = ["--ca-file", ca_file] if online else []
        arguments = ["lock", "-f", str(folder / "fleet.yaml"), "-o", "json", *trust, *options]
        code = main(arguments)
        return code, json.loads(capsys.readouterr().out)

    return run


def locked(folder):
    return lock_file.load(folder / "transom.lock")


def pinnable(server, *, name="kubelet", **changes):
    url = changes.pop("url", f"{server.url}/{name}.exe")
    made = artifact(name, url=url, sha256=changes.pop("sha256", None))
    return PinnableArtifact(artifact=made, **changes)


def test_pins_what_upstream_publishes(server, lock, folder):
    server.serve("/kubelet.exe", body(CONTENT))
    sums = server.serve("/kubelet.exe.sha256", body(SUM.encode()))
    code, report = lock([pinnable(server, checksum_url=sums)])
    assert code == 0
    (entry,) = locked(folder).entries
    assert (entry.sha256, entry.size) == (SUM, len(CONTENT))
    assert (entry.sum_from, entry.sum_url) == (SumFrom.PUBLISHED, sums)
    assert [added["id"] for added in report["added"]] == ["kubelet"]


def test_pins_by_first_use_what_nobody_vouches_for(server, lock, folder):
    server.serve("/kubelet.exe", body(CONTENT))
    assert lock([pinnable(server)])[0] == 0
    assert locked(folder).entries[0].sum_from is SumFrom.FIRST_USE


def test_pins_nothing_whose_bytes_have_another_sum(server, lock, folder):
    """And what could be pinned beside it is kept."""
    server.serve("/kubelet.exe", body(OTHER))
    server.serve("/kubeadm.exe", body(CONTENT))
    sums = server.serve("/SHA256SUMS", body(f"{SUM}  kubelet.exe\n{SUM} *kubeadm.exe\n".encode()))
    both = [pinnable(server, name=n, checksum_url=sums) for n in ("kubelet", "kubeadm")]
    code, report = lock(both)
    assert code == 5
    assert "not " + SUM in report["message"]
    assert [entry.id for entry in locked(folder).entries] == ["kubeadm"]


def test_pins_nothing_when_promised_sums_are_not_there(server, lock, folder):
    server.serve("/kubelet.exe", body(CONTENT))
    code, _ = lock([pinnable(server, checksum_url=f"{server.url}/kubelet.exe.sha256")])
    assert code == 5
    assert locked(folder).entries == ()
    assert server.paths() == ["/kubelet.exe.sha256"]


def test_takes_bytes_and_sums_from_the_mirror_and_locks_the_upstream_address(server, lock, folder):
    server.serve("/mirror/v1/kubelet.exe", body(CONTENT))
    sums = server.serve("/mirror/v1/kubelet.exe.sha256", body(SUM.encode()))
    upstream = "https://dl.example/v1/kubelet.exe"
    wanted = pinnable(
        server,
        url=upstream,
        checksum_url=f"{upstream}.sha256",
        mirrors={"https://dl.example": f"{server.url}/mirror/"},
    )
    assert lock([wanted])[0] == 0
    (entry,) = locked(folder).entries
    assert entry.url == upstream
    assert (entry.sum_from, entry.sum_url) == (SumFrom.MIRROR, sums)


def test_a_mirror_without_sums_gives_a_first_use(server, lock, folder):
    server.serve("/mirror/kubelet.exe", body(CONTENT))
    upstream = "https://dl.example/kubelet.exe"
    mirrors = {"https://dl.example": f"{server.url}/mirror"}
    sums = f"{upstream}.sha256"
    assert lock([pinnable(server, url=upstream, checksum_url=sums, mirrors=mirrors)])[0] == 0
    assert locked(folder).entries[0].sum_from is SumFrom.FIRST_USE


def test_an_override_must_have_the_bytes_it_names(server, lock, folder):
    server.serve("/kubelet.exe", body(OTHER))
    assert lock([pinnable(server, sha256=SUM)])[0] == 5
    server.serve("/kubelet.exe", body(CONTENT))
    assert lock([pinnable(server, sha256=SUM)])[0] == 0
    assert locked(folder).entries[0].sum_from is SumFrom.OVERRIDE


def test_changes_no_entry_unless_asked(server, lock, folder):
    server.serve("/kubelet.exe", body(CONTENT))
    lock([pinnable(server)])
    before = (folder / "transom.lock").read_bytes()
    server.serve("/kubelet.exe", body(OTHER))
    server.seen.clear()
    code, report = lock([pinnable(server)])
    assert (code, report["written"]) == (0, False)
    assert server.seen == []
    assert (folder / "transom.lock").read_bytes() == before


def test_update_takes_todays_bytes_and_drops_what_is_unused(server, lock, folder):
    server.serve("/kubelet.exe", body(CONTENT))
    server.serve("/kubeadm.exe", body(CONTENT))
    lock([pinnable(server), pinnable(server, name="kubeadm")])
    server.serve("/kubelet.exe", body(OTHER))
    code, report = lock([pinnable(server)], "--update")
    assert code == 0
    assert report["changed"][0]["was"]["sha256"] == SUM
    assert report["changed"][0]["now"]["sha256"] == hashlib.sha256(OTHER).hexdigest()
    assert [entry.id for entry in locked(folder).entries] == ["kubelet"]


def test_update_of_one_leaves_the_others(server, lock, folder):
    names = ("kubelet", "kubeadm", "flannel")
    for name in names:
        server.serve(f"/{name}.exe", body(CONTENT))
    wanted = [pinnable(server, name=name) for name in names]
    lock(wanted)
    for name in names:
        server.serve(f"/{name}.exe", body(OTHER))
    assert lock(wanted[:2], "--update", "kubeadm")[0] == 0
    sums = {entry.id: entry.sha256 for entry in locked(folder).entries}
    updated = hashlib.sha256(OTHER).hexdigest()
    assert sums == {"flannel": SUM, "kubelet": SUM, "kubeadm": updated}


def test_check_finds_a_published_sum_that_moved(server, lock, folder):
    server.serve("/kubelet.exe", body(CONTENT))
    sums = server.serve("/kubelet.exe.sha256", body(SUM.encode()))
    wanted = [pinnable(server, checksum_url=sums)]
    lock(wanted)
    assert lock(wanted, "--check")[0] == 0
    before = (folder / "transom.lock").read_bytes()
    moved = hashlib.sha256(OTHER).hexdigest()
    server.serve("/kubelet.exe.sha256", body(moved.encode()))
    code, report = lock(wanted, "--check")
    assert code == 1
    assert report["differing"][0]["sha256"] == moved
    assert (folder / "transom.lock").read_bytes() == before
    assert lock(wanted, "--check", "--offline")[0] == 0


def test_sends_a_header_from_the_environment(server, lock, monkeypatch):
    monkeypatch.setenv("MIRROR_AUTH", SECRET)
    server.serve("/kubelet.exe", body(CONTENT))
    assert lock([pinnable(server)], "--header", server.url, "Authorization", "MIRROR_AUTH")[0] == 0
    assert server.seen[0][1]["authorization"] == SECRET


def test_uses_the_proxy_of_the_fleet(server, start, lock):
    proxy = start(ProxyServer())
    server.serve("/kubelet.exe", body(CONTENT))
    assert lock([pinnable(server, proxy=f"http://{proxy.address}")])[0] == 0
    assert len(proxy.asked) == 1


def test_nothing_unlocked_is_ever_used(server, lock, folder):
    """An artifact the lock does not know is refused for use, and so is another sum for it."""
    server.serve("/kubelet.exe", body(CONTENT))
    lock([pinnable(server)])
    kubelet = pinnable(server).artifact
    assert [one.sha256 for one in pinned([kubelet], locked(folder))] == [SUM]
    with pytest.raises(UsageError, match="not in the lock: kubeadm"):
        pinned([kubelet, pinnable(server, name="kubeadm").artifact], locked(folder))
    with pytest.raises(UsageError, match="different sums for kubelet"):
        pinned([pinnable(server, sha256="0" * 64).artifact], locked(folder))


def test_a_whole_fleet_is_locked_from_its_mirrors(server, ca_file, folder):
    """From the document a person writes, with nobody else reachable, to a lock that checks."""
    fleet = (DATA / "fleets/v1alpha1/shop.yaml").read_text("utf-8")
    mirrors = fleet[fleet.index("    mirrors:") : fleet.index("  proxy:")]
    hosts = ("https://dl.k8s.io", "https://github.com", "https://www.python.org")
    ours = json.dumps(dict.fromkeys(hosts, server.url + "/mirror"))
    fleet = fleet.replace(mirrors, f"    mirrors: {ours}\n")
    fleet = fleet.replace("http://proxy:3128", "http://127.0.0.1:9")
    fleet = fleet.replace('noProxy: [".corp"]', "noProxy: [127.0.0.1]")
    (folder / "fleet.yaml").write_text(fleet, "utf-8")
    server.scripts = Everything()
    options = ["-f", str(folder / "fleet.yaml"), "--ca-file", ca_file]
    assert main(["lock", *options]) == 0
    assert main(["lock", *options, "--check"]) == 0
    by_id = {entry.id: entry for entry in locked(folder).entries}
    assert by_id["kubelet"].url.startswith("https://dl.k8s.io/")
    assert by_id["kubelet"].sum_from is SumFrom.MIRROR
    assert by_id["flannel"].sum_from is SumFrom.FIRST_USE
    (fleet_read,) = read_fleets(fleet, name="fleet.yaml")
    for recipe in resolve(fleet_read):
        for used in pinned(recipe.artifacts, locked(folder), mirrors=fleet_read.source.mirrors):
            assert used.url.startswith(server.url)
            assert used.sha256 == SUM
