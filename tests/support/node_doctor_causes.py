"""What goes wrong on a host that was well, one thing at a time."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from tests.support.node import CLOSED, FLAGS_FILE, KUBELET, KUBERNETES
from tests.support.node_doctor import HOST_NETWORK, LOG, STARTED, hns, pem, remote, sight

from transom.model.sight import CertificateRequestSight
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


ON_HOST = [(id_, name, act) for id_, cases in FAULTS.items() for name, act in cases.items()]


def ids(findings):
    return [finding.rule for finding in findings]
