"""A program is started once everything it needs is there, and whatever ends it is said."""

import json
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from transom.errors import TemporaryError, UsageError
from transom.node.host.values import HnsState
from transom.node.layout import Layout
from transom.node.supervise.states import program_states


def state(site):
    (found,) = program_states(site.host.files, Layout())
    return found


def test_a_pod_gets_the_programs_words_and_exit_code(site):
    site.then(lambda: site.child.end(3, "fatal: no such flag"))
    assert site.keeper().run() == 3
    assert site.child.argv == (
        r"C:\k\kube-proxy.exe",
        r"--kubeconfig=C:\etc\kubernetes\kubelet.conf",
        "--source-vip=10.244.3.2",
    )
    assert site.child.environment == {"NODE": "10.0.0.21"}
    assert "fatal: no such flag\n" in site.text
    assert (state(site).state, state(site).reason) == ("failed", "kube-proxy.exe ended with 3")


def test_being_asked_to_stop_ends_the_program_and_is_no_failure(site):
    site.then(lambda: None, site.stop, after=4)
    assert site.keeper().run() == 0
    assert site.child.code is not None
    assert state(site).state == "stopped"


def test_it_can_be_stopped_while_it_waits(site):
    site.host.vitals.hns_state = HnsState()
    site.then(site.stop, after=3)
    assert site.keeper().run() == 0
    assert site.host.processes.children == []


MISSING = {
    "a recipe": lambda site: site.host.files.remove(Layout().recipe),
    "kubelet.conf": lambda site: site.host.files.remove(r"C:\etc\kubernetes\kubelet.conf"),
    "no node win-01": lambda site: site.host.cluster.pod_ranges.clear(),
    "pod range": lambda site: site.host.cluster.pod_ranges.update({"win-01": ""}),
    "no address": lambda site: setattr(site.host.cluster, "addresses", ("fd00::1",)),
    "no HNS network flannel.4096": lambda site: setattr(site.host.vitals, "hns_state", HnsState()),
    "does not answer": lambda site: setattr(site.host.vitals, "hns_state", None),
}


@pytest.mark.parametrize("reason", MISSING)
def test_what_is_missing_is_said_and_waited_for_until_a_deadline(site, reason):
    MISSING[reason](site)
    with pytest.raises(TemporaryError, match=r"waited \d+ s in vain"):
        site.keeper().run()
    assert reason in site.text
    assert site.text.count(reason) == 2  # once while waiting, once at the end
    assert reason in state(site).reason
    assert site.host.processes.children == []


@pytest.mark.parametrize("reason", MISSING)
def test_it_starts_when_what_was_missing_comes(site, reason):
    whole = site.host.vitals.hns_state, site.host.cluster.addresses
    MISSING[reason](site)

    def comes():
        site.keep(site.recipe)
        site.host.files.write(r"C:\etc\kubernetes\kubelet.conf", b"kubeconfig")
        site.host.cluster.pod_ranges["win-01"] = "10.244.3.0/24"
        site.host.vitals.hns_state, site.host.cluster.addresses = whole

    site.then(comes, site.stop, after=5)
    assert site.keeper().run() == 0
    assert len(site.host.processes.children) == 1


RANGELESS = {
    "on a bridge, which needs no source address": lambda proxy: replace(
        proxy, command=proxy.command[:2], source_vip=None
    ),
    "with the source address of an endpoint": lambda proxy: replace(
        proxy, source_vip=replace(proxy.source_vip, endpoint="VIPEndpoint")
    ),
}


@pytest.mark.parametrize("kind", RANGELESS)
def test_a_node_without_a_pod_range_runs_kube_proxy(site, made, kind):
    """Azure CNI, OVN-Kubernetes and Calico's IPAM give pods addresses without `spec.podCIDR`."""
    site.keep(replace(site.recipe, programs=(RANGELESS[kind](made.proxy),)))
    site.host.cluster.pod_ranges["win-01"] = ""
    addresses = [{"IpAddress": "10.132.0.2"}]
    endpoint = {"ID": "ep-1", "Name": "VIPEndpoint", "IpConfigurations": addresses}
    site.host.vitals.hns_state = HnsState(networks=(made.network(),), endpoints=(endpoint,))
    site.then(site.stop, after=3)
    assert site.keeper().run() == 0
    assert len(site.host.processes.children) == 1


def test_the_api_server_may_be_away_for_a_while(site):
    asked = site.host.cluster.node

    def away(*_):
        raise TemporaryError("cannot ask the API server: refused")

    site.host.cluster.node = away
    site.then(lambda: setattr(site.host.cluster, "node", asked), site.stop, after=5)
    assert site.keeper().run() == 0
    assert "cannot ask the API server: refused" in site.text
    assert len(site.host.processes.children) == 1


def test_a_program_the_recipe_does_not_have_is_the_callers_mistake(site):
    with pytest.raises(UsageError, match="no program calico"):
        site.keeper("calico").run()
    site.keep(replace(site.recipe, programs=()))
    with pytest.raises(UsageError) as error:
        site.keeper().run()
    assert error.value.hint == "Its programs are none."


def test_who_makes_the_network_does_not_wait_for_it(site):
    site.host.vitals.hns_state = HnsState()
    site.then(site.stop, after=30)
    assert site.keeper("flannel").run() == 0
    assert site.child.argv[1] == "--iface=10.0.0.21"


def test_a_proxy_that_ended_because_the_nodes_addresses_changed_is_started_again_at_once(site):
    words = 'I1116 node.go:209] "NodeIPs changed for the node" node="win-01"'
    site.then(lambda: site.child.end(1, words), lambda: site.child.end(4))
    assert site.keeper().run() == 4
    assert len(site.host.processes.children) == 2
    assert f"kube-proxy ended on purpose: {words}" in site.text


def test_a_network_that_was_made_anew_or_went_starts_its_programs_anew(site, made):
    def becomes(*networks):
        return lambda: setattr(site.host.vitals, "hns_state", HnsState(networks=networks))

    site.then(becomes(made.network("net-2")), after=6)
    site.then(becomes(), becomes(made.network("net-3")), site.stop, after=12)
    assert site.keeper().run() == 0
    assert len(site.host.processes.children) == 3
    assert all(child.code is not None for child in site.host.processes.children)
    assert "the HNS network flannel.4096 was made anew" in site.text
    assert "the HNS network flannel.4096 is gone" in site.text


def test_flannel_makes_its_network_again_where_it_went(site, made):
    site.host.vitals.hns_state = HnsState()
    there = HnsState(networks=(made.network(),))
    for state_now in (there, HnsState()):
        site.then(lambda now=state_now: setattr(site.host.vitals, "hns_state", now), after=12)
    site.then(site.stop, after=12)
    assert site.keeper("flannel").run() == 0
    assert len(site.host.processes.children) == 2


def test_a_network_service_that_was_away_may_have_lost_changes(site):
    whole = site.host.vitals.hns_state
    site.then(lambda: setattr(site.host.vitals, "hns_state", None), after=6)
    site.then(lambda: setattr(site.host.vitals, "hns_state", whole), after=30)
    site.then(site.stop, after=12)
    assert site.keeper().run() == 0
    assert len(site.host.processes.children) == 2
    assert site.text.count("the host network service does not answer") == 1
    assert "the host network service answers again" in site.text


def test_a_new_command_line_in_the_recipe_restarts_the_program(site, made):
    proxy = replace(made.proxy, command=(*made.proxy.command, "--v=4"))
    site.then(lambda: site.keep(replace(site.recipe, programs=(proxy,))), site.stop, after=12)
    assert site.keeper().run() == 0
    first, second = site.host.processes.children
    assert (*first.argv, "--v=4") == second.argv


def test_a_service_begins_again_with_growing_pauses(site):
    starts, begin = [], site.host.processes.start

    def start(*argv, **options):
        starts.append(site.host.clock.time)
        return begin(*argv, **options)

    def meanwhile():
        if len(starts) == 4:
            site.stop()
        elif starts and site.child.code is None:
            site.child.end(2)

    site.host.processes.start, site.host.clock.meanwhile = start, meanwhile
    assert site.keeper(begins_again=True).run() == 0
    assert [round(later - sooner) for sooner, later in pairwise(starts)] == [2, 8, 8]


def test_a_service_waits_on_after_its_deadline_and_says_so(site):
    whole = site.host.vitals.hns_state
    site.host.vitals.hns_state = HnsState()
    site.then(lambda: setattr(site.host.vitals, "hns_state", whole), after=60)
    site.then(site.stop, after=20)
    assert site.keeper(begins_again=True).run() == 0
    assert "waited 20 s in vain: there is no HNS network flannel.4096 yet" in site.text
    assert len(site.host.processes.children) == 1


MOUNT = r"C:\hpc"
ACCOUNT = r"var\run\secrets\kubernetes.io\serviceaccount"


def project(site, files, *, below=MOUNT):
    """A projected volume as the kubelet writes it: each file is a link through `..data`."""
    disk, volume = site.host.disk, rf"C:\var\lib\kubelet\pods\1\volumes\{len(below)}"
    newest = volume + r"\..2026_11_18_04_00_00.1"
    site.host.files.make_directory(newest)
    disk.link(volume + r"\..data", "..2026_11_18_04_00_00.1")
    for name, content in files.items():
        site.host.files.write(rf"{newest}\{name}", content)
        disk.link(rf"{volume}\{name}", rf"..data\{name}")
    place = rf"{below}\{ACCOUNT}"
    site.host.files.make_directory(place.rpartition("\\")[0])
    disk.link(place, volume)
    return volume


@pytest.fixture
def pod(site):
    """The same site in a HostProcess pod."""
    site.host.files.write(r"C:\etc\kubernetes\kubelet.conf", json.dumps(KUBECONFIG).encode())
    site.host.processes.variables["CONTAINER_SANDBOX_MOUNT_POINT"] = MOUNT
    return site


@pytest.mark.parametrize("below", [MOUNT, "C:"])
def test_in_a_pod_the_service_account_is_used_with_the_nodes_server(pod, below):
    project(pod, {"token": b"s3cret"}, below=below)
    pod.then(pod.stop, after=2)
    assert pod.keeper().run() == 0
    path = pod.child.argv[1].partition("=")[2]
    written = json.loads(pod.host.files.read(path))
    assert written["clusters"][0]["cluster"] == KUBECONFIG["clusters"][0]["cluster"]
    assert written["users"][0]["user"] == {"tokenFile": rf"{below}\{ACCOUNT}\token"}
    assert "s3cret" not in json.dumps(written) + pod.text


UNUSABLE = {
    "leads nowhere": lambda pod: pod.host.disk.remove(project(pod, {"token": b"t"}) + r"\..data"),
    "leads in a circle": lambda pod: pod.host.disk.link(
        project(pod, {"namespace": b"n"}) + r"\token", r"..data\..\token"
    ),
    "is empty": lambda pod: project(pod, {"token": b""}),
    "is missing": lambda pod: project(pod, {"namespace": b"transom-system"}),
    "no volume": lambda _pod: None,
}


@pytest.mark.parametrize("fault", UNUSABLE)
def test_in_a_pod_the_nodes_own_credential_never_stands_in_for_the_service_account(pod, fault):
    UNUSABLE[fault](pod)
    with pytest.raises(TemporaryError, match="service account token"):
        pod.keeper().run()
    assert pod.host.processes.children == []
    assert "service account token" in state(pod).reason


def test_a_token_that_the_kubelet_is_just_replacing_is_waited_for(pod):
    data = project(pod, {"token": b"s3cret"}) + r"\..data"
    pod.host.disk.remove(data)
    pod.then(lambda: pod.host.disk.link(data, "..2026_11_18_04_00_00.1"), pod.stop, after=3)
    assert pod.keeper().run() == 0
    assert len(pod.host.processes.children) == 1


KUBECONFIG: dict[str, Any] = {
    "current-context": "n",
    "contexts": [{"name": "n", "context": {"cluster": "c", "user": "u"}}],
    "clusters": [
        {
            "name": "c",
            "cluster": {"server": "https://10.0.0.1:6443", "certificate-authority-data": "Q0E="},
        }
    ],
    "users": [{"name": "u", "user": {"client-certificate": r"C:\x.pem"}}],
}
