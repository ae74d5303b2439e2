"""Where a judgement begins: the value that is just wrong, its neighbour that is not, and the words."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.support.node import FLAGS_FILE, KUBELET
from tests.support.node_doctor import (
    CONFIG,
    LOG,
    NETWORK_ID,
    STARTED,
    balancer,
    found,
    hns,
    pem,
    remote,
    sight,
)
from tests.support.node_doctor_causes import OTHER, csr, ended, ids, node_with, proxy, service

from transom.model.sight import RequestState, ServiceSight
from transom.node.doctor.examination import examine
from transom.node.host.values import HnsState, Volume

GIB = 1 << 30
TOML = r"C:\Program Files\containerd\config.toml"
POD_LOGS = r"C:\var\log\pods"


def configured(host, text):
    path = KUBELET + r"\config.yaml"
    host.files.write(path, (CONFIG + text).encode(), acl=host.files.acl(path))


@pytest.mark.parametrize("with_cluster", [True, False])
def test_what_winkernel_leaves_on_a_healthy_overlay_is_no_finding(host, look, with_cluster):
    """An unused endpoint per cluster IP, and the node's own address as a source."""
    used = {e for b in hns().balancers for e in b["HostComputeEndpoints"]}
    unused = [e["ID"] for e in hns().endpoints if e["Flags"] and e["ID"].lower() not in used]
    assert len(unused) == 2
    assert "10.0.0.21" in [item["SourceVIP"] for item in hns().balancers]
    assert found(look(host, sight(host) if with_cluster else None)) == []


def test_a_source_that_is_neither_the_nodes_nor_the_networks_is_found(host, look):
    host.vitals.hns_state = hns(
        balancers=(*hns().balancers, balancer("CCCC0009", "10.96.0.9", source="10.0.0.22"))
    )
    (finding,) = found(look(host))
    assert (finding.rule, finding.path) == ("source-vip-outside", "10.0.0.22")


def test_on_a_bridge_the_source_is_the_nodes(host, look):
    """Kube-proxy takes no source address from its settings there."""
    bridge = {**hns().networks[0], "Type": "L2Bridge"}
    sources = tuple({**item, "SourceVIP": "10.0.0.21"} for item in hns().balancers)
    host.vitals.hns_state = hns(networks=(bridge, hns().networks[1]), balancers=sources)
    assert found(look(host)) == []


def test_purged_balancers_are_named_by_their_services_and_not_as_leaked_endpoints(host, look):
    host.vitals.hns_state = hns(balancers=hns().balancers[1:])
    (finding,) = found(look(host, sight(host)))
    assert finding.rule == "hns-balancers-missing"
    assert finding.evidence == ("kube-system/kube-dns 10.96.0.10",)
    assert "no Service answers from this node" in finding.interrupts


def test_a_service_of_the_last_minute_is_not_missed_yet(host, look):
    host.vitals.hns_state = hns(balancers=hns().balancers[1:])
    now = int(host.clock.now())
    for age, rules in ((59, []), (60, ["hns-balancers-missing"])):
        dns = ServiceSight(
            namespace="kube-system",
            name="kube-dns",
            addresses=("10.96.0.10",),
            backends=("10.244.0.5",),
            created=now - age,
        )
        assert ids(found(look(host, sight(host, services=(dns,))))) == rules


def test_a_service_whose_backends_kube_proxy_never_wrote_is_not_missed(host, look):
    """It may have none that is ready here, or be another proxy's."""
    other = ServiceSight(
        namespace="a", name="b", addresses=("10.96.0.9", "fd00::9"), backends=("10.244.7.7",)
    )
    both = replace(sight(host).services[1], addresses=("10.96.0.10", "fd00::a"))
    cluster = sight(host, services=(*sight(host).services, other, both))
    assert found(look(host, cluster)) == []


def test_services_that_could_not_be_read_are_not_taken_for_none(host, look):
    host.vitals.hns_state = hns(endpoints=(*hns().endpoints, remote("D", "10.244.9.9")))
    used = ServiceSight(namespace="a", name="b", addresses=("10.96.0.9",), backends=("10.244.9.9",))
    lost = [*sight(host).services, used]
    assert ids(found(look(host, sight(host, services=tuple(lost))))) == ["hns-balancers-missing"]
    unread = sight(host, services=(), unread={"services": "forbidden"})
    assert ids(found(look(host, unread))) == ["hns-endpoints-leaked"]


def test_a_leaked_endpoint_is_named_in_full_so_that_only_it_is_deleted(host, look):
    identity = "0a1b2c3d-0000-4000-8000-00155d000001"
    host.vitals.hns_state = hns(endpoints=(*hns().endpoints, remote(identity, "10.244.9.9")))
    (finding,) = found(look(host, sight(host)))
    assert finding.evidence == (f"{identity} 10.244.9.9",)
    assert "Never remove all remote endpoints" in finding.fix


def test_without_a_known_range_of_services_no_endpoint_is_called_unused(host, look):
    host.files.remove(r"C:\k\transom\state\recipe.json")
    host.vitals.hns_state = hns(endpoints=(*hns().endpoints, remote("D", "10.244.9.9")))
    assert found(look(host)) == []


class Changing:
    """A host network service that changes between looks, as kube-proxy makes it."""

    def __init__(self, *states):
        self.states = list(states)

    def __call__(self):
        return self.states.pop(0) if len(self.states) > 1 else self.states[0]


def test_a_change_between_two_lists_is_no_finding(host, look, monkeypatch):
    """The balancer is already there and its endpoint was not yet listed."""
    half = hns(endpoints=hns().endpoints[1:])
    monkeypatch.setattr(host.vitals, "hns", Changing(half, hns(), hns()))
    assert found(look(host)) == []


def test_a_service_that_never_settles_is_said_and_not_judged(host, look, monkeypatch):
    ends = hns().endpoints
    states = [
        HnsState(networks=hns().networks, endpoints=(*ends, remote(f"E{n}", "10.244.9.9")))
        for n in range(4)
    ]
    monkeypatch.setattr(host.vitals, "hns", Changing(*states))
    examined = examine(look(host))
    assert examined.findings == ()
    assert "changed between each of 4 looks" in examined.unread["the host network service"]


@pytest.mark.parametrize(
    ("plugin", "rules"),
    [
        ("flannel", ["pod-range-differs"]),
        ("winOverlay", ["pod-range-differs"]),
        ("calico", []),
        ("azureCNI", []),
        ("ovnKubernetes", []),
    ],
)
def test_the_nodes_range_is_asked_for_only_where_the_plugin_uses_it(host, look, plugin, rules):
    """Calico's IPAM gives blocks of its pools, whatever spec.podCIDR is."""
    ipam = {"Subnets": [{"IpAddressPrefix": "10.244.77.64/26"}]}
    network = {"ID": NETWORK_ID, "Name": "flannel.4096", "Type": "Overlay", "Ipams": [ipam]}
    sources = tuple({**item, "SourceVIP": "10.244.77.66"} for item in hns().balancers)
    host.vitals.hns_state = hns(networks=(network, hns().networks[1]), balancers=sources)
    for path in (r"C:\run\flannel\subnet.env", r"C:\etc\kube-flannel\net-conf.json"):
        host.files.remove(path)
    recipe = look(host).recipe
    recipe = replace(recipe, network=replace(recipe.network, plugin=plugin, vni=None))
    seen = look(host, sight(host, flannel=None), recipe)
    assert ids(found(seen)) == rules


def test_without_a_recipe_only_flannels_traces_ask_for_the_nodes_range(host, look):
    host.files.remove(r"C:\k\transom\state\recipe.json")
    cluster = node_with(host, pod_cidrs=("10.244.8.0/24",))
    assert set(ids(found(look(host, cluster)))) == {"pod-range-differs"}
    for path in (r"C:\run\flannel\subnet.env", r"C:\etc\kube-flannel\net-conf.json"):
        host.files.remove(path)
    assert found(look(host, replace(cluster, flannel=None))) == []


def test_the_remedy_of_a_wrong_range_says_what_deleting_the_network_costs(host, look):
    cluster = node_with(host, pod_cidrs=("10.244.8.0/24",))
    finding = found(look(host, cluster))[0]
    assert "kubectl drain" in finding.fix
    assert finding.interrupts.startswith("Every pod on this node loses its network")


@pytest.mark.parametrize(
    ("settings", "free", "rules"),
    [
        ("", 15 * GIB, []),
        ("", 15 * GIB - 1, ["disk-pressure"]),
        ("evictionHard:\n  nodefs.available: 10%\n", 10 * GIB, []),
        ("evictionHard:\n  nodefs.available: 10%\n", 10 * GIB - 1, ["disk-pressure"]),
        (
            "evictionHard:\n  nodefs.available: 10%\nmergeDefaultEvictionSettings: true\n",
            15 * GIB - 1,
            ["disk-pressure"],
        ),
        ("evictionHard:\n  imagefs.available: '12.5%'\n", 12 * GIB + GIB // 2, []),
        (
            "evictionHard:\n  imagefs.available: '12.5%'\n",
            12 * GIB + GIB // 2 - 1,
            ["disk-pressure"],
        ),
        ("evictionHard:\n  nodefs.available: 20Gi\n", 20 * GIB, []),
        ("evictionHard:\n  nodefs.available: 20Gi\n", 20 * GIB - 1, ["disk-pressure"]),
        ("evictionHard:\n  nodefs.available: 20G\n", 20_000_000_000, []),
        ("evictionHard:\n  nodefs.available: 20G\n", 19_999_999_999, ["disk-pressure"]),
        ("evictionHard:\n  nodefs.available: 0%\n", 1, []),
        ("evictionHard:\n  nodefs.available: 100%\n", 1, []),
        ("evictionHard:\n  memory.available: 500Mi\n", 1, []),
        ("evictionSoft:\n  nodefs.available: 90%\n", 15 * GIB, []),
    ],
)
def test_a_disk_is_full_where_the_kubelet_says_so(host, look, settings, free, rules):
    configured(host, settings)
    host.vitals.room = Volume(free=free, total=100 * GIB)
    assert ids(found(look(host))) == rules


def test_the_kubelets_command_line_decides_about_the_disk(host, look):
    command = host.services.get("kubelet").command + " --eviction-hard=nodefs.available<30%"
    service("kubelet", command)(host)
    host.vitals.room = Volume(free=30 * GIB - 1, total=100 * GIB)
    (finding,) = found(look(host))
    assert finding.rule == "disk-pressure"
    assert "nodefs.available<30%" in finding.message


def test_the_drive_that_containerd_fills_is_looked_at_too(host, look, monkeypatch):
    """Its images may be elsewhere, and that is the drive that fills up."""
    rooms = {"C:": Volume(free=11 * GIB, total=100 * GIB), "D:": Volume(free=1, total=100 * GIB)}
    text = host.files.read(TOML).decode()
    host.files.write(TOML, ("root = 'D:\\containerd\\root'\n" + text).encode())
    monkeypatch.setattr(host.vitals, "volume", lambda path: rooms[path[:2].upper()])
    (finding,) = found(look(host))
    assert (finding.rule, finding.path) == ("disk-pressure", "D:")
    assert "imagefs.available<15%" in finding.message


@pytest.mark.parametrize(
    ("off", "rules"), [(300, []), (301, ["clock-off"]), (-300, []), (-301, ["clock-off"])]
)
def test_a_clock_may_be_five_minutes_off(host, look, off, rules):
    assert ids(found(look(host, sight(host, time=int(host.clock.now()) + off)))) == rules


@pytest.mark.parametrize(("seconds", "rules"), [(0, []), (-1, ["certificate-expired"])])
def test_a_certificate_is_good_to_its_last_second(host, look, seconds, rules):
    now = datetime.fromtimestamp(host.clock.now(), UTC)
    content = pem("system:node:win-01", now - timedelta(days=9), now + timedelta(seconds=seconds))
    host.files.write(KUBELET + r"\pki\kubelet-client-current.pem", content)
    findings = found(look(host))
    assert ids(findings) == rules
    for finding in findings:
        assert "kubeadm token create" in finding.fix
        assert "transom reset" not in finding.fix


@pytest.mark.parametrize(("times", "rule"), [(2, "service-stopped"), (3, "service-restarting")])
def test_three_ends_are_a_loop(host, look, times, rule):
    ended(host, OTHER, times)
    (finding,) = found(look(host))
    assert finding.rule == rule
    assert finding.message.endswith("something nobody has seen before")


@pytest.mark.parametrize(
    ("waiting", "rule"), [(1, "certificate-request-pending"), (2, "no-lasting-approver")]
)
def test_two_serving_certificates_that_wait_show_that_nobody_approves(host, look, waiting, rule):
    configured(host, "serverTLSBootstrap: true\n")
    requests = tuple(
        csr(RequestState.PENDING, "kubernetes.io/kubelet-serving", f"r{number}", number)
        for number in range(waiting)
    )
    assert ids(found(look(host, sight(host, requests=requests)))) == [rule]


@pytest.mark.parametrize(
    ("state", "signer"),
    [
        (RequestState.APPROVED, "kubernetes.io/kubelet-serving"),
        (RequestState.PENDING, "kubernetes.io/kube-apiserver-client"),
    ],
)
def test_requests_that_were_approved_or_are_for_others_do_not_count(host, look, state, signer):
    configured(host, "serverTLSBootstrap: true\n")
    one = csr(RequestState.PENDING, "kubernetes.io/kubelet-serving", "r0", 0)
    requests = (one, csr(state, signer, "r1", 1), csr(state, signer, "r2", 2))
    assert "no-lasting-approver" not in ids(found(look(host, sight(host, requests=requests))))


@pytest.mark.parametrize(("mtu", "rules"), [(1450, []), (1451, ["mtu-differs"]), (1400, [])])
def test_a_smaller_mtu_hurts_nobody(host, look, mtu, rules):
    path = r"C:\run\flannel\subnet.env"
    text = host.files.read(path).decode().replace("MTU=1450", f"MTU={mtu}")
    host.files.write(path, text.encode())
    assert ids(found(look(host))) == rules


def test_a_name_longer_than_netbios_keeps_is_the_same_name(host, look):
    host.system.name = "WIN-WEB-PRODUCT"
    recipe = look(host).recipe
    name = "win-web-production-01"
    recipe = replace(recipe, join=replace(recipe.join, node_name=name))
    now = datetime.fromtimestamp(host.clock.now(), UTC)
    content = pem(f"system:node:{name}", now - timedelta(days=1), now + timedelta(days=9))
    host.files.write(KUBELET + r"\pki\kubelet-client-current.pem", content)
    assert found(look(host, None, recipe)) == []
    host.system.name = "WIN-WEB-PRODUC"
    assert ids(found(look(host, None, recipe))) == ["name-differs"]


def test_a_name_that_kubeadms_flags_give_counts(host, look):
    """A wrapper script adds them: the service's command line does not have them."""
    host.system.name = "WIN-OTHER"
    flags = 'KUBELET_KUBEADM_ARGS="--hostname-override=win-01"\n'
    host.files.write(FLAGS_FILE, flags.encode(), acl=host.files.acl(FLAGS_FILE))
    service("kubelet", r"powershell.exe C:\k\StartKubelet.ps1")(host)
    assert found(look(host)) == []


def test_a_runtime_that_is_starting_is_not_stopped(host, look):
    command = host.services.get("containerd").command
    for state, rules in (("starting", []), ("stopping", ["runtime-stopped"])):
        service("containerd", command, state=state)(host)
        assert ids(found(look(host))) == rules


def test_the_error_that_containerd_writes_beside_its_message_is_told(host, look):
    log = r"C:\var\log\containerd\containerd.log"
    host.files.make_directory(r"C:\var\log\containerd")
    line = (
        'time="2026-01-02T03:04:05Z" level=fatal msg="failed to start" '
        'error="open \\"meta.db\\": access is denied"\n'
    )
    host.files.write(log, line.encode())
    host.services.stop("containerd")
    (finding,) = found(look(host))
    assert finding.message.endswith('failed to start: open "meta.db": access is denied')


@pytest.mark.parametrize("entry", ["*.corp.local", ".corp.local", "corp.local", "API.Corp.Local"])
def test_every_form_that_go_takes_in_no_proxy_is_understood(host, look, entry):
    path = r"C:\etc\kubernetes\kubelet.conf"
    text = host.files.read(path).decode().replace("10.0.0.1:6443", "api.corp.local:6443")
    host.files.write(path, text.encode())
    proxy(host)
    host.environment.put("NO_PROXY", f"10.244.0.0/16,10.96.0.0/12,{entry}")
    assert found(look(host)) == []
    host.environment.put("NO_PROXY", "10.244.0.0/16,10.96.0.0/12,xcorp.local")
    assert ids(found(look(host))) == ["proxy-without-exceptions"]


def test_the_newest_log_of_a_pod_is_that_of_its_last_restart(host, look):
    folder = POD_LOGS + r"\transom-system_kube-proxy-windows-x_1\kube-proxy"
    host.files.make_directory(folder)
    for number in (0, 9, 10):
        host.files.write(rf"{folder}\{number}.log", f"restart {number}".encode())
    log = look(host).log("kube-proxy")
    assert (log.path[-7:], log.lines) == (r"\10.log", ("restart 10",))


def test_a_fault_is_told_with_its_subject_and_its_place(host, look):
    ended(host, OTHER)
    (finding,) = found(look(host))
    assert (finding.path, finding.file) == ("kubelet", LOG)
    assert finding.evidence == (OTHER.strip(),)
    assert STARTED.strip() not in finding.evidence
