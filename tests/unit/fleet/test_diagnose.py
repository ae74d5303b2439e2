"""Diagnosing and collecting over a session: the host's own causes, the cluster's view, and no traces."""

import asyncio
import io
import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.simulation import NOW, config_maps
from tests.support.cluster import MemoryApi

from transom.errors import PermanentError, TemporaryError
from transom.fleet.collect import archive_name, collect_host
from transom.fleet.diagnose import diagnose_host, read_sight
from transom.model.sight import (
    CertificateRequestSight,
    ConditionSight,
    FlannelSight,
    NodeSight,
    RequestState,
)
from transom.node.doctor.collection import read_collection
from transom.node.doctor.examination import examine

if TYPE_CHECKING:
    from collections.abc import Mapping

ROTATION = "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient"


@pytest.fixture
def joined(world):
    world.join()
    world.api.bound_roles = (ROTATION,)
    return world


@pytest.fixture
def doctor(world, brought):
    def run(api="own"):
        chosen = world.api if api == "own" else api
        return asyncio.run(diagnose_host("10.0.0.21", world.connect, chosen, bring=lambda: brought))

    return run


def rules(diagnosed):
    return [finding.rule for finding in diagnosed.findings]


def request(name, node, state=RequestState.PENDING):
    return CertificateRequestSight(
        name=name,
        signer="kubernetes.io/kubelet-serving",
        username=f"system:node:{node}",
        subject=f"system:node:{node}",
        created=1,
        state=state,
    )


@pytest.mark.usefixtures("joined")
def test_a_joined_host_that_is_well_gives_nothing(doctor):
    diagnosed = doctor()
    assert (diagnosed.host, rules(diagnosed), diagnosed.unread) == ("win-01", [], {})


def test_causes_of_the_host_and_of_the_cluster_are_found_together(joined, doctor):
    joined.host.services.stop("kubelet")
    joined.api.seen_requests = [request("mine", "win-01"), request("other", "win-02")]
    found = doctor().findings
    assert [(item.rule, item.path) for item in found] == [
        ("service-stopped", "kubelet"),
        ("certificate-request-pending", "mine"),
    ]


def test_a_cluster_that_does_not_answer_is_no_reason_not_to_look(joined, doctor):
    class Down(MemoryApi):
        async def request_sights(self):
            raise TemporaryError("cannot reach the API server")

    joined.host.services.stop("kubelet")
    diagnosed = doctor(Down(server_version="1.37.1"))
    assert rules(diagnosed) == ["service-stopped"]
    assert diagnosed.unread == {"the cluster": "cannot reach the API server"}


@pytest.mark.parametrize("part", ["requests", "node", "approvers", "services", "flannel"])
def test_one_right_that_is_missing_loses_no_other_view_of_the_cluster(joined, doctor, part):
    """A 403 is no empty answer: nothing may be called missing because it could not be read."""
    calls = {
        "requests": "request_sights",
        "node": "node_sight",
        "approvers": "bound_to",
        "services": "service_sights",
        "flannel": "config_map",
    }

    async def forbidden(*_words, **_named):
        raise PermanentError("cannot list them: forbidden")

    setattr(joined.api, calls[part], forbidden)
    joined.host.services.stop("kubelet")
    diagnosed = doctor()
    assert rules(diagnosed) == ["service-stopped"]
    assert diagnosed.unread[f"the cluster's {part}"] == "cannot list them: forbidden"


@pytest.mark.usefixtures("joined")
def test_without_a_kubeconfig_the_host_is_looked_at_alone(doctor):
    assert doctor(None).unread == {"the cluster": "there is no kubeconfig"}


SILENT = tuple(
    ConditionSight(type=name, status="Unknown", message="Kubelet stopped posting node status.")
    for name in ("MemoryPressure", "Ready")
)


def from_afar(api, place):
    """Look at a host whose SSH server does not answer."""

    async def connect():
        raise TemporaryError(f"cannot reach {place} by SSH", hint="look at the cable")

    def bring():
        raise AssertionError("nothing can be brought there")

    return asyncio.run(diagnose_host(place, connect, api, bring=bring))


@pytest.mark.parametrize("place", ["win-01", "WIN-01", "10.0.0.21"])
def test_of_a_host_out_of_reach_the_cluster_is_asked_alone(joined, place):
    held = joined.api.held_nodes["win-01"]
    joined.api.held_nodes["win-01"] = replace(held, addresses=("10.0.0.21",))
    joined.api.see(NodeSight(name="win-01", conditions=SILENT))
    joined.api.seen_requests = [request("mine", "win-01")]
    diagnosed = from_afar(joined.api, place)
    assert rules(diagnosed) == ["certificate-request-pending", "node-not-ready"]
    assert diagnosed.findings[1].path == "Ready"
    assert "look whether the machine runs" in diagnosed.findings[1].fix
    assert diagnosed.unread == {"the host": f"cannot reach {place} by SSH; look at the cable"}
    assert isinstance(diagnosed.error, TemporaryError)


@pytest.mark.parametrize(
    ("place", "api", "said"),
    [
        ("win-77", "own", "it has no Node win-77"),
        ("win-01", "down", "cannot reach the API server"),
        ("win-01", None, "there is no kubeconfig"),
    ],
)
def test_where_the_cluster_tells_nothing_of_it_either_both_are_named(joined, place, api, said):
    class Down(MemoryApi):
        async def nodes(self):
            raise TemporaryError("cannot reach the API server")

    chosen = {"own": joined.api, "down": Down(server_version="1.37.1")}.get(api)
    diagnosed = from_afar(chosen, place)
    assert diagnosed.findings == ()
    assert list(diagnosed.unread) == ["the host", "the cluster"]
    assert diagnosed.unread["the cluster"] == said
    assert isinstance(diagnosed.error, TemporaryError)


def test_a_host_nobody_joined_is_left_as_it_was(world, doctor):
    before = world.host.disk.tree(without="nothing")
    diagnosed = doctor()
    assert rules(diagnosed) == []
    assert world.host.disk.tree(without="nothing") == before


def test_an_older_program_is_replaced_before_it_is_asked(joined, doctor):
    joined.host.files.write(r"C:\k\transom\node.pyz", b"the program")
    note = r"C:\k\transom\brought.json"
    there = json.loads(joined.host.files.read(note))
    joined.host.files.write(note, json.dumps({**there, "program": "0" * 64}).encode())
    doctor()
    now = joined.host.files.read(r"C:\k\transom\node.pyz")
    assert now[:2] == b"PK"
    doctor()
    assert joined.host.files.read(r"C:\k\transom\node.pyz") == now


def collect(machine, brought):
    return asyncio.run(
        collect_host("win-01", machine.connect, machine.api, bring=lambda: brought, now=NOW)
    )


def test_an_archive_is_fetched_checked_and_removed_from_the_host(joined, brought):
    joined.host.services.stop("kubelet")
    collected = collect(joined, brought)
    assert collected.name == "transom-win-01-20260102T030400Z.zip"
    seen = read_collection(io.BytesIO(collected.content), name=collected.name)
    assert [finding.rule for finding in examine(seen).findings] == ["service-stopped"]
    assert seen.cluster is not None
    assert joined.host.files.entries(r"C:\k\transom\collected") == ()


def test_an_archive_that_changed_on_the_way_is_refused(joined, brought, monkeypatch):
    from tests.simulation import Session

    async def read(self, path):
        return b"something else" if path.endswith(".zip") else await real(self, path)

    real = Session.read
    monkeypatch.setattr(Session, "read", read)
    with pytest.raises(PermanentError, match="not what the host wrote"):
        collect(joined, brought)


def answering(monkeypatch, change):
    """Have the host answer a request for an archive in another way."""
    from transom.fleet.on_host.program import NodeProgram

    async def look(self, *words, given):
        found = await real(self, *words, given=given)
        return change(dict(found)) if words[0] == "collect" else found

    real = NodeProgram.look
    monkeypatch.setattr(NodeProgram, "look", look)


@pytest.mark.parametrize(
    "path",
    [
        r"C:\Windows\System32\config\SAM",
        r"C:\k\transom\collected\..\journal",
        r"C:\k\transom\collected\sub\a.zip",
        "C:\\k\\transom\\collected\\..",
        "C:/k/transom/collected/.bashrc",
        r"C:\k\transom\collected\a.zip:stream",
        "",
        7,
        None,
    ],
)
def test_a_host_that_names_another_file_as_its_archive_is_refused_and_nothing_is_removed(
    joined, brought, monkeypatch, path
):
    before = joined.tree()
    answering(monkeypatch, lambda answer: {**answer, "path": path})
    with pytest.raises(PermanentError, match="cannot be used"):
        collect(joined, brought)
    assert set(before) <= set(joined.tree())


def test_the_archive_has_a_name_of_this_side_whatever_the_host_calls_it(
    joined, brought, monkeypatch
):
    def renamed(answer):
        path = r"C:\k\transom\collected\.bashrc"
        joined.host.files.write(path, joined.host.files.read(answer["path"]))
        return {**answer, "path": path}

    answering(monkeypatch, renamed)
    assert collect(joined, brought).name == "transom-win-01-20260102T030400Z.zip"


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("fd00::21", "transom-fd00--21-20260102T030400Z.zip"),
        ("../../etc/passwd", "transom-..-..-etc-passwd-20260102T030400Z.zip"),
        (".bashrc", "transom-.bashrc-20260102T030400Z.zip"),
    ],
)
def test_an_archives_name_is_one_files_name(place, name):
    assert archive_name(place, NOW) == name


def sight_of(api):
    return asyncio.run(read_sight(api, "win-01"))


def test_the_clusters_own_settings_are_read():
    api = MemoryApi(server_version="1.37.1", config_maps=config_maps(), clock=12)
    sight = sight_of(api)
    assert (sight.time, sight.version, sight.node) == (12, "1.37.1", None)
    assert sight.flannel == FlannelSight(
        network="10.244.0.0/16", backend="vxlan", vni=4096, port=4789
    )
    assert (sight.pod_cidrs, sight.service_cidrs) == (("10.244.0.0/16",), ("10.96.0.0/12",))


@pytest.mark.parametrize(
    "maps",
    [
        {},
        {("kube-system", "kube-flannel-cfg"): {"net-conf.json": "{"}},
        {("kube-system", "kube-flannel-cfg"): {}, ("kube-system", "kubeadm-config"): {}},
        {("kube-system", "kubeadm-config"): {"ClusterConfiguration": "networking: ["}},
        {("kube-system", "kubeadm-config"): {"ClusterConfiguration": "networking: null"}},
    ],
    ids=["nothing", "no JSON", "empty maps", "no YAML", "no ranges"],
)
def test_settings_that_are_missing_or_broken_are_left_out(maps):
    sight = sight_of(MemoryApi(server_version="1.37.1", config_maps=maps))
    assert (sight.flannel, sight.pod_cidrs) == (None, ())


def test_linux_defaults_of_flannel_are_told_as_not_set():
    conf = {"Network": "10.244.0.0/16", "Backend": {"Type": "vxlan"}}
    maps: dict[tuple[str, str], Mapping[str, str]] = {
        ("kube-flannel", "kube-flannel-cfg"): {"net-conf.json": json.dumps(conf)}
    }
    flannel = sight_of(MemoryApi(server_version="1", config_maps=maps)).flannel
    assert flannel == replace(flannel, vni=None, port=None)
