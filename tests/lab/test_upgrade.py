"""Upgrades and adoptions with the upstream kubeadm.exe and kubelet.exe of two versions, Wine below.

The API server is the newer one; the host joined with the older programs, once: every test begins
from a copy of its drive.
"""

from dataclasses import replace

import pytest
from tests.lab.drives import Drive
from tests.support.lab import await_true
from tests.support.lab_node import differences
from tests.support.lab_upgrade import OLD, Site, said

from transom.model.request import Verb
from transom_lab.binaries import Binaries
from transom_lab.places import cache_directory
from transom_lab.programs import Goos, program
from transom_lab.progress import Progress

pytestmark = pytest.mark.timeout(900, func_only=True)
WRAPPER = r"C:\wrapper\kube-log-runner.exe"


@pytest.fixture(scope="module")
def site(bare_lab):
    with bare_lab("upgrade") as lab:
        yield Site(lab)


@pytest.fixture(scope="module")
def joined(site):
    """The host as it was before and the drive it had after it joined with the older programs."""
    site.done(Verb.PREPARE, site.old)  # the feature stays on, so it is no difference later
    site.done(Verb.RESET, site.old)
    first = site.snapshot()
    site.done(Verb.JOIN, site.old)
    return first, Drive(site.lab, site.name)


@pytest.fixture
def node(site, joined):
    """A Ready node of the older version, and the host as it was before."""
    first, drive = joined
    site.forget_node()
    drive.restore()
    assert site.version == OLD
    return site, first


def test_a_node_is_upgraded_and_the_reset_goes_back_to_before_its_join(node):
    site, first = node
    steps = site.done(Verb.UPGRADE, site.new)
    assert "upgrade" in steps
    assert site.version == site.lab.record.kubernetes
    config = (site.host.drive_c / "var/lib/kubelet/config.yaml").read_text()
    assert "systemReserved" in config
    assert site.done(Verb.UPGRADE, site.new) == []
    _check_secrets(site)
    site.done(Verb.RESET, site.new)
    site.forget_node()
    assert differences(first, site.snapshot()) == {}
    site.done(Verb.JOIN, site.new)
    assert site.version == site.lab.record.kubernetes


def test_an_upgrade_that_fails_leaves_the_old_node_ready(node):
    """The new kubelet is given a flag it does not know."""
    site, _ = node
    before = site.snapshot()
    kubelet = site.new.services[-1]
    services = (*site.new.services[:-1], replace(kubelet, command=(*kubelet.command, "--bogus")))
    site.recipe = replace(site.new, services=services)
    answer = site.run(Verb.UPGRADE, ready_s=30)
    assert answer.code == 5, answer.lines
    assert site.version == OLD
    assert (
        said(answer, "noted", "message")[-1]
        == f"taken back: {site.name} runs {OLD} again and is Ready"
    )
    assert lasting(before, site.snapshot()) == {}


def test_a_node_of_somebody_else_is_adopted_upgraded_and_given_back(node):
    """Its kubelet behind a wrapper of another name and place, its journal gone."""
    site, _ = node
    _wrap(site)
    assert site.version == OLD
    before, wrapped = site.snapshot(), _command(site)
    refused = site.run(Verb.UPGRADE)
    assert refused.code == 3
    assert site.done(Verb.ADOPT, site.old) == ["adopt"]
    assert lasting(before, site.snapshot()) == {}
    site.done(Verb.UPGRADE, site.new)
    assert site.version == site.lab.record.kubernetes
    assert WRAPPER.lower() not in _command(site).lower()
    site.done(Verb.RESET, site.new)
    await_true(lambda: site.version == OLD, "the old kubelet is Ready again", timeout_s=60)
    assert _command(site) == wrapped
    assert lasting(before, site.snapshot()) == {}
    site.done(Verb.RESET, site.old, force=True)
    assert not site.has_joined()


def test_a_session_that_is_lost_again_and_again_in_an_upgrade_changes_nothing(node):
    site, _ = node
    site.recipe = site.new
    lines = site.follow_through_cuts(Verb.UPGRADE, lengths_s=[0.2, 1, 2, 3, 4])
    assert lines[-1]["state"] == "done", lines
    assert site.version == site.lab.record.kubernetes


def lasting(before, after):
    """The differences, less the sockets a kubelet makes at each start and what it logs."""
    found = differences(before, after).items()
    return {what: values for what, values in found if not what.endswith((".sock", ".log"))}


def _check_secrets(site):
    """Neither the token nor the node's key is in what the node program keeps or says."""
    keys = (site.host.drive_c / "var/lib/kubelet/pki").glob("*.pem")
    lines = {line for key in keys for line in key.read_text().splitlines() if len(line) > 60}
    kept = (site.host.drive_c / "k" / "transom" / "state").rglob("*")
    texts = [path.read_bytes() for path in kept if path.is_file()]
    assert lines
    for secret in (site.token, *lines):
        assert not any(secret.encode() in text for text in texts)


def _wrap(site):
    """Make the node look like one that another tool prepared."""
    wanted = program("kube-log-runner", Goos.WINDOWS)
    file = Binaries(cache=cache_directory(), progress=Progress()).fetch([wanted])[wanted]
    site.host.put(file, WRAPPER)
    site.host.run(["sc", "stop", "kubelet"])
    command = f"{WRAPPER} --log-file=C:\\wrapper\\kubelet.log {_command(site)}"
    site.host.run(["sc", "config", "kubelet", "binPath=", command])
    site.host.run(["sc", "start", "kubelet"])
    for name in ("journal", "saved", "recipe.json"):
        path = site.host.drive_c / "k" / "transom" / "state" / name
        if path.is_dir():
            for copy in path.iterdir():
                copy.unlink()
            path.rmdir()
        else:
            path.unlink(missing_ok=True)


def _command(site):
    """The kubelet's command line, as the service manager has it."""
    said = site.host.run(["sc", "qc", "kubelet"])
    line = next(line for line in said.splitlines() if "BINARY_PATH_NAME" in line)
    return line.partition(":")[2].strip()
