"""Each cause is found first where it is present, by its name, and nothing where the host is well."""

import inspect
import json
import pkgutil
import re
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.unit.node.conftest import CLOSED, FLAGS_FILE, KUBELET, KUBERNETES
from tests.unit.node.doctor.conftest import (
    CONFIG,
    HOST_NETWORK,
    LOG,
    STARTED,
    found,
    hns,
    pem,
    remote,
    sight,
)

from transom.model.sight import CertificateRequestSight, ConditionSight, FlannelSight, RequestState
from transom.node.doctor import causes
from transom.node.doctor.causes import DIAGNOSES
from transom.node.doctor.diagnosis import Remedy
from transom.node.doctor.observation import Observation
from transom.node.doctor.page import page
from transom.node.doctor.redaction import Redactor
from transom.node.host.values import FeatureState, ServiceDefinition, ServiceStatus, Volume

E = 'E1116 04:08:55.879599     812 run.go:72] "command failed" err="{}"\n'
UNKNOWN_FLAG = E.format("failed to parse kubelet flag: unknown flag: --network-plugin")
BAD_VALUE = E.format(
    r"failed to parse kubelet flag: invalid argument \"abc\" for \"-v, --v\" flag: strconv.ParseUint"
)
BAD_GATE = E.format(
    "failed to set feature gates from initial flags-based config: unrecognized feature gate: NoSuch"
)
NO_CONFIG = E.format(
    r"failed to load kubelet config file, path: C:\\tmp\\none.yaml, error: failed to load Kubelet "
    r"config file C:\\tmp\\none.yaml, error failed to read kubelet config file "
    r"\"C:\\\\tmp\\\\none.yaml\", error: open C:\\tmp\\none.yaml: File not found."
)
BAD_CONFIG = E.format(
    "failed to validate kubelet configuration, error: invalid configuration: maxPods (--max-pods) "
    "-5 must not be a negative number, path: &TypeMeta{{Kind:,APIVersion:,}}"
)
CGROUPS = E.format(
    "failed to validate kubelet configuration, error: [invalid configuration: CgroupsPerQOS "
    "(--cgroups-per-qos) true is not supported on Windows], path: &TypeMeta"
)
SWAP = E.format(
    "failed to run Kubelet: running with swap on is not supported, please disable swap or set "
    "--fail-swap-on flag to false"
)
NO_KUBECONFIG = E.format(
    r"failed to run Kubelet: unable to load bootstrap kubeconfig: GetFileAttributesEx "
    r"C:\\etc\\kubernetes\\bootstrap-kubelet.conf: File not found."
)
NO_RUNTIME = E.format(
    r"failed to run Kubelet: validate service connection: validate CRI v1 runtime API for endpoint "
    r"\"npipe:////./pipe/nope\": rpc error: code = Unavailable desc = connection error"
)
OTHER = E.format("failed to run Kubelet: something nobody has seen before")


def ended(host, line, times=1):
    """The kubelet said that and is gone."""
    host.files.write(LOG, (STARTED + line * times).encode())
    host.services.stop("kubelet")


def change_file(path, old, new):
    def fault(host):
        text = host.files.read(path).decode()
        assert old in text
        host.files.write(path, text.replace(old, new).encode(), acl=host.files.acl(path))

    return fault


def says(line, times=1):
    return lambda host: ended(host, line, times)


def client_certificate(name="win-01", days=300, since=-1):
    def fault(host):
        now = datetime.fromtimestamp(host.clock.now(), UTC)
        host.files.write(
            KUBELET + r"\pki\kubelet-client-current.pem",
            pem(f"system:node:{name}", now + timedelta(days=since), now + timedelta(days=days)),
        )

    return fault


def in_hns(**changes):
    def fault(host):
        host.vitals.hns_state = hns(**changes)

    return fault


def service(name, command, state="running", environment=(), start="auto"):
    def fault(host):
        host.services.put(
            name,
            ServiceDefinition(
                command=command, display_name=name, start=start, environment=environment
            ),
        )
        host.vitals.statuses[name] = ServiceStatus(state=state)

    return fault


def no_hns(host):
    host.vitals.hns_state = None


def clock(seconds):
    def fault(host):
        host.clock.time += seconds

    return fault


def widen(host):
    open_ = CLOSED.replace("(A;OICI;FA;;;BA)", "(A;OICI;FA;;;BA)(A;OICI;0x1301bf;;;AU)")
    host.files.set_acl(KUBERNETES + r"\pki", open_)


def lose_route(host):
    host.settings.put("active", "169.254.169.254/32", None)
    host.settings.put("route", "169.254.169.254/32", None)


def feature_waits(host):
    host.settings.put("feature", "Containers", FeatureState.ENABLE_PENDING)


def reboot_waits(host):
    host.system.pending = True


def full(host):
    host.vitals.room = Volume(free=1 << 30, total=100 << 30)


def proxy(host):
    host.environment.put("HTTPS_PROXY", "http://user:hunter22@proxy:3128")
    host.environment.put("NO_PROXY", "localhost,.corp")


def half_done(host):
    path = r"C:\k\transom\state\journal"
    lines = host.disk.read(path).splitlines(keepends=True)
    assert b"settled" in lines[-1]
    host.files.write(path, b"".join(lines[:-1]))


def damaged(host):
    path = r"C:\k\transom\state\journal"
    host.files.write(path, host.disk.read(path).replace(b"intent", b"intemt", 1))


def remove(path):
    return lambda host: host.files.remove(path)


def write(path, text):
    return lambda host: host.files.write(path, text.encode())


def image_refused(host):
    line = (
        'E1116 04:08:55 812 log.go:32] "PullImage from image service failed" err="no match for '
        'platform in manifest: not found" image="registry.example/web/app:1"\n'
    )
    host.files.write(LOG, (STARTED + line).encode())


def source_vip(host):
    host.files.make_directory(r"C:\sourcevip")
    host.files.write(r"C:\sourcevip\sourceVip.json", b'{"ip4": {"ip": "10.244.9.2/24"}}')


def other_vni(host):
    vsid = {"Type": "VSID", "Settings": {"IsolationId": 4097}}
    subnet = {"IpAddressPrefix": "10.244.3.0/24", "Policies": [vsid]}
    network = {**hns().networks[0], "Ipams": [{"Subnets": [subnet]}]}
    host.vitals.hns_state = hns(networks=(network, HOST_NETWORK))


def without_host_network(host):
    networks = [item for item in hns().networks if item["Name"] != "host"]
    host.vitals.hns_state = hns(networks=tuple(networks))


FAULTS = {
    "binary-changed": {
        "replaced": write(r"C:\k\kubeadm.exe", "another kubeadm"),
        "removed": remove(r"C:\k\kubeadm.exe"),
        "a member of an archive": write(r"C:\opt\cni\bin\host-local.exe", "x"),
    },
    "flag-refused": {
        "unknown flag": says(UNKNOWN_FLAG),
        "in a loop": says(UNKNOWN_FLAG, 5),
        "bad value": says(BAD_VALUE),
        "gate": says(BAD_GATE),
        "an older kubelet's words": says("Error: unknown flag: --network-plugin\n"),
        "1.22": says(
            'E0101 server.go:205] "Failed to parse kubelet flag" err="unknown flag: --cni-bin-dir"\n'
        ),
    },
    "kubelet-configuration": {
        "missing": says(NO_CONFIG),
        "invalid": says(BAD_CONFIG),
        "control groups": says(CGROUPS),
        "swap": says(SWAP),
    },
    "kubelet-kubeconfig": {"missing": says(NO_KUBECONFIG)},
    "runtime-stopped": {
        "stopped": lambda host: host.services.stop("containerd"),
        "and the kubelet with it": lambda host: (
            host.services.stop("containerd"),
            ended(host, NO_RUNTIME),
        ),
    },
    "kubelet-runtime-unreachable": {"another pipe": says(NO_RUNTIME)},
    "service-restarting": {"kubelet": says(OTHER, 4)},
    "service-stopped": {
        "stopped": lambda host: host.services.stop("kubelet"),
        "with a reason": says(OTHER),
        "paused": service("kubelet", r"C:\k\nssm.exe", state="paused"),
        "a service of the network": service("flanneld", r"C:\k\flanneld.exe", state="stopped"),
    },
    "clock-off": {"before its certificate": client_certificate(since=2)},
    "certificate-expired": {"client": client_certificate(days=-1, since=-9)},
    "name-differs": {
        "computer renamed": lambda host: setattr(host.system, "name", "WIN-02"),
        "certificate of another": client_certificate(name="win-09"),
    },
    "disk-pressure": {"full": full},
    "hns-unreachable": {"no answer": no_hns},
    "hns-network-missing": {
        "after a reboot": in_hns(networks=(), endpoints=(), balancers=()),
    },
    "host-network-missing": {"lost": without_host_network},
    "cni-configuration-missing": {"removed": remove(r"C:\etc\cni\net.d\10-flannel.conf")},
    "network-name-differs": {
        "another file comes first": write(r"C:\etc\cni\net.d\05-nat.conf", '{"name": "nat"}'),
        "no JSON": write(r"C:\etc\cni\net.d\99-x.conf", "{"),
        "kube-proxy": service("kube-proxy", "kube-proxy.exe --network-name vxlan0"),
    },
    "overlay-differs": {
        "in net-conf.json": change_file(r"C:\etc\kube-flannel\net-conf.json", "4789", "8472"),
        "in the host network service": other_vni,
    },
    "pod-range-differs": {
        "in net-conf.json": change_file(r"C:\etc\kube-flannel\net-conf.json", "10.244.", "10.99."),
        "in subnet.env": change_file(r"C:\run\flannel\subnet.env", "SUBNET=10.244", "SUBNET=10.1"),
    },
    "source-vip-outside": {
        "kept from before": source_vip,
        "given": service("kube-proxy", "kube-proxy.exe --source-vip=10.244.7.2"),
    },
    "proxy-without-exceptions": {
        "machine": proxy,
        "a service": service(
            "kube-proxy", "kube-proxy.exe", environment=("HTTPS_PROXY=http://proxy:3128",)
        ),
    },
    "pause-image-differs": {
        "another": change_file(
            r"C:\Program Files\containerd\config.toml", "pause:9.9", "pause:1.4.1"
        ),
        "another build": lambda host: setattr(host.system, "windows", (26100, 1)),
    },
    "image-build-differs": {"no match": image_refused},
    "route-lost": {"metadata": lose_route},
    "hns-balancers-stale": {
        "endpoint gone": in_hns(endpoints=()),
        "two of one": in_hns(balancers=hns().balancers * 2),
    },
    "hns-balancers-missing": {"purged by a crash": in_hns(balancers=())},
    "hns-endpoints-leaked": {
        "of a Service that is gone": in_hns(
            endpoints=(*hns().endpoints, remote("D", "10.244.9.9"))
        ),
        "no network": in_hns(
            endpoints=(*hns().endpoints, {"ID": "D", "HostComputeNetwork": "gone", "Flags": 0})
        ),
    },
    "mtu-differs": {"larger": change_file(r"C:\run\flannel\subnet.env", "MTU=1450", "MTU=1500")},
    "dns-suffix-missing": {
        "replaced": lambda host: host.network.remove_dns_suffix("svc.cluster.local")
    },
    "access-weak": {"writable": widen},
    "two-runtimes": {"docker": service("docker", "dockerd.exe", start="demand")},
    "kubeadm-flags-ignored": {
        "fixed command line": service("kubelet", r"C:\k\kubelet.exe --windows-service"),
        "not closed": change_file(FLAGS_FILE, "--v=4", "--v='4"),
    },
    "path-wrong": {
        "missing": lambda host: host.environment.put("Path", r"C:\Windows"),
        "twice": lambda host: host.environment.put("Path", r"C:\Windows;C:\k;C:\k\ "),
    },
    "reboot-pending": {"feature": feature_waits, "update": reboot_waits},
    "run-unfinished": {"cut": half_done, "damaged": damaged},
}


def csr(state, signer="kubernetes.io/kube-apiserver-client-kubelet", name="csr-1", created=10):
    return CertificateRequestSight(
        name=name,
        signer=signer,
        username="system:bootstrap:abcdef",
        subject="system:node:win-01",
        created=created,
        state=state,
    )


def node_with(host, **changes):
    return sight(host, node=replace(sight(host).node, **changes))


TOLD = {
    "clock-off": {"ahead": lambda host: sight(host, time=int(host.clock.now()) - 900)},
    "certificate-request-denied": {
        "denied": lambda host: sight(host, requests=(csr(RequestState.DENIED),)),
        "failed": lambda host: sight(host, requests=(csr(RequestState.FAILED),)),
    },
    "certificate-request-pending": {
        "pending": lambda host: sight(host, requests=(csr(RequestState.PENDING),)),
        "the newest counts": lambda host: sight(
            host,
            requests=(csr(RequestState.PENDING, created=20), csr(RequestState.DENIED, name="old")),
        ),
    },
    "no-lasting-approver": {"renewals": lambda host: sight(host, approvers=())},
    "node-missing": {"deleted": lambda host: sight(host, node=None)},
    "node-not-ready": {
        "another reason": lambda host: node_with(
            host, conditions=(ConditionSight(type="Ready", status="False", message="why"),)
        ),
        "pressure": lambda host: node_with(
            host, conditions=(ConditionSight(type="PIDPressure", status="True"),)
        ),
    },
    "overlay-differs": {
        "the Linux side": lambda host: sight(
            host,
            flannel=FlannelSight(network="10.244.0.0/16", backend="vxlan", vni=1, port=8472),
        ),
        "left to Linux' default": lambda host: sight(
            host, flannel=FlannelSight(network="10.244.0.0/16", backend="vxlan")
        ),
    },
    "pod-range-differs": {
        "the Node has another": lambda host: node_with(host, pod_cidrs=("10.244.8.0/24",))
    },
    "mtu-differs": {
        "the cluster's is smaller": lambda host: sight(
            host, flannel=replace(sight(host).flannel, mtu=1350)
        )
    },
}

ON_HOST = [(id_, name, act) for id_, cases in FAULTS.items() for name, act in cases.items()]
FROM_CLUSTER = [(id_, name, act) for id_, cases in TOLD.items() for name, act in cases.items()]


def ids(findings):
    return [finding.rule for finding in findings]


def test_a_host_that_is_well_gives_nothing(host, look):
    seen = look(host)
    assert (found(seen), dict(seen.unread)) == ([], {})
    assert found(look(host, sight(host))) == []


def test_a_name_that_kubeadm_gave_the_kubelet_is_its_name(host, look):
    """It stands in kubeadm's file only, which each start reads."""
    host.system.name = "WIN-02"
    change_file(FLAGS_FILE, "--v=4", "--v=4 --hostname-override=win-01")(host)
    assert found(look(host)) == []


@pytest.mark.parametrize(
    ("id_", "name", "fault"), ON_HOST, ids=[f"{i}: {n}" for i, n, _ in ON_HOST]
)
def test_a_fault_of_the_host_is_found_first_and_by_name(host, look, id_, name, fault):
    fault(host)
    findings = found(look(host))
    assert ids(findings)[:1] == [id_], name
    assert set(ids(findings)) == {id_}


@pytest.mark.parametrize(
    ("id_", "name", "told"), FROM_CLUSTER, ids=[f"{i}: {n}" for i, n, _ in FROM_CLUSTER]
)
def test_what_only_the_cluster_knows_is_found_first_and_by_name(host, look, id_, name, told):
    findings = found(look(host, told(host)))
    assert set(ids(findings)) == {id_}, name


def test_a_consequence_is_not_told_beside_its_cause(host, look):
    ended(host, UNKNOWN_FLAG, 5)
    not_ready = (ConditionSight(type="Ready", status="Unknown", message="stopped posting"),)
    findings = found(look(host, node_with(host, conditions=not_ready)))
    assert ids(findings) == ["flag-refused"]
    assert "--network-plugin" in findings[0].message
    assert findings[0].evidence == (UNKNOWN_FLAG.strip(),)
    assert findings[0].file == LOG


def test_serving_certificates_nobody_approves_have_a_cause(host, look):
    change_file(KUBELET + r"\config.yaml", CONFIG, CONFIG + "serverTLSBootstrap: true\n")(host)
    waiting = tuple(
        csr(RequestState.PENDING, "kubernetes.io/kubelet-serving", name, created)
        for name, created in (("a", 1), ("b", 2))
    )
    assert ids(found(look(host, sight(host, requests=waiting)))) == ["no-lasting-approver"]


def test_a_kubelet_that_came_to_run_after_a_failure_is_well(host, look):
    host.files.write(LOG, (UNKNOWN_FLAG + STARTED).encode())
    assert found(look(host)) == []


def test_without_recipe_and_journal_what_can_be_seen_is_still_found(host, look):
    host.files.remove(r"C:\k\transom\state\recipe.json")
    assert found(look(host)) == []
    ended(host, UNKNOWN_FLAG)
    assert ids(found(look(host))) == ["flag-refused"]


def test_a_host_with_nothing_of_kubernetes_gives_nothing(make_host, look):
    assert found(look(make_host())) == []


def test_every_cause_has_a_fault_that_proves_it():
    assert {item.id for item in DIAGNOSES} == set(FAULTS) | set(TOLD)


@pytest.mark.parametrize("diagnosis", DIAGNOSES, ids=lambda item: item.id)
def test_a_diagnosis_is_complete(diagnosis):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", diagnosis.id)
    sentences = (
        *(diagnosis.symptom, diagnosis.cause),
        *(diagnosis.remedy.text, diagnosis.remedy.interrupts),
    )
    for text in (diagnosis.title, *sentences):
        assert text.strip() == text != ""
        assert Redactor().clean(text) == text
    for text in sentences:
        assert text.endswith(".")
    fields = set(Observation.__dataclass_fields__)
    assert set(diagnosis.looks_at) <= fields
    assert diagnosis.looks_at
    assert set(diagnosis.hides) <= {item.id for item in DIAGNOSES} - {diagnosis.id}


def test_a_diagnosis_looks_only_at_what_it_says():
    """What `looks_at` names is what the function reads of the observation, and of no other host."""
    for item in DIAGNOSES:
        source = inspect.getsource(sys.modules[item.examine.__module__])
        for field in Observation.__dataclass_fields__:
            if re.search(rf"\bseen\.{field}\b", source) and field != "host":
                assert field in item.looks_at, (item.id, field)


def test_each_file_of_causes_is_one_listed_diagnosis_named_after_it():
    files = {module.name for module in pkgutil.iter_modules(causes.__path__)}
    assert files == {item.id.replace("-", "_") for item in DIAGNOSES}
    assert len({item.id for item in DIAGNOSES}) == len(DIAGNOSES)


# What a remedy does, by its own words, and what whoever follows it must read before.
COSTS = (
    (r"Restart-Service hns", ("pod on this node loses its endpoint", "no Service answers")),
    (r"Remove-HnsNetwork", ("every pod on this node loses its network", "drain")),
    (r"[Rr]estart (?:flanneld and )?kube-proxy", ("Service", "from this node")),
    (r"\b[Rr]eset\b", ("every pod on this node",)),
    (r"Restart-Computer|reboot", ("every pod on this node",)),
    (r"Restart-Service kubelet|restart the kubelet|the flags on", ("unning containers",)),
    (r"restart containerd", ("Running containers go on",)),
)


def remedies():
    """Every remedy there is: those of the diagnoses, and those of single troubles by their source."""
    for item in DIAGNOSES:
        yield item.id, item.remedy
        module = sys.modules[item.examine.__module__]
        for value in vars(module).values():
            if isinstance(value, Remedy):
                yield item.id, value


@pytest.mark.parametrize(("id_", "remedy"), list(remedies()))
def test_a_remedy_says_what_it_interrupts(id_, remedy):
    for does, words in COSTS:
        if re.search(does, remedy.text):
            for word in words:
                assert word.lower() in remedy.interrupts.lower(), (id_, does)


def test_no_remedy_removes_what_every_service_needs():
    """All remote endpoints at once are the backends of every Service on the node."""
    for id_, remedy in remedies():
        assert "IsRemoteEndpoint" not in remedy.text, id_


def test_the_page_has_every_cause():
    text = page()
    for item in DIAGNOSES:
        assert f"## {item.id}\n" in text
        assert item.remedy.text in text
        assert f"- **Interrupts**: {item.remedy.interrupts}\n" in text


def test_findings_survive_the_way_through_json(host, look):
    from transom.model.codec import decode, encode

    ended(host, UNKNOWN_FLAG)
    seen = look(host, sight(host))
    again = decode(Observation, json.loads(json.dumps(encode(seen))))
    assert again == seen
    assert found(again) == found(seen)
