"""doctor on a joined host of the lab: upstream kubelet.exe fails in its own words, and the cause is named.

One join; each fault is put in, found by its name and nothing else, and taken out again. Then all of
them at once, on the host and in an archive of collect. What the lab stands in for (the runtime, the
host network service, access lists) is said in docs/lab.md.
"""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.support.lab import BareLab
from tests.support.node_doctor import pem

from transom_lab.fleet import LabFleet, join_flags, prepare_fleet
from transom_lab.host import WindowsHost
from transom_lab.lab import Lab
from transom_lab.places import cache_directory
from transom_lab.progress import Progress

pytestmark = pytest.mark.timeout(900)

# The disk of the machine that the lab runs on is no fault of ours.
OF_THE_MACHINE = {"disk-pressure"}
ENVIRONMENT = r"HKLM\SYSTEM\CurrentControlSet\Control\Session Manager\Environment"
REBOOT = r"HKLM\SOFTWARE\Microsoft\Windows\CurrentVersion\Component Based Servicing\RebootPending"
NODE = (r"C:\k\transom\python\python.exe", r"C:\k\transom\node.pyz")
LOG = "var/log/kubelet/kubelet.log"
SUBNET = "FLANNEL_NETWORK=10.244.0.0/16\nFLANNEL_SUBNET={}\nFLANNEL_MTU={}\n"


@dataclass
class Site:
    """A lab with one host that `transom join` made a node of."""

    lab: Lab
    made: LabFleet

    @property
    def host(self) -> WindowsHost:
        return self.lab.host("win1")

    @property
    def drive(self) -> Path:
        return self.host.drive_c

    def transom(self, verb: str, *more: str) -> "Said":
        """Run the command line in a process of its own."""
        flags = join_flags(self.lab, self.host, self.made)
        if verb != "join":
            at = flags.index("--node-ip")
            flags = flags[:at] + flags[at + 2 :]
        done = subprocess.run(
            [sys.executable, "-m", "transom", verb, *flags, *more],
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=600,
            check=False,
        )
        return Said(done.returncode, done.stdout, done.stderr)

    def node(self, *words: str) -> "Said":
        """Run a verb of the node program on the host itself, as somebody on call would."""
        argv, env = self.host.command([*NODE, *words])
        done = subprocess.run(
            argv,
            env=env,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=120,
            check=False,
        )
        return Said(done.returncode, done.stdout, done.stderr)

    def causes(self) -> list[str]:
        """The causes that doctor names on the host, likeliest first."""
        said = self.node("doctor", "-o", "json")
        return said.causes

    def kubectl(self, *arguments: str, stdin: str = "") -> str:
        """Run kubectl as the administrator."""
        return self.lab.kubectl(*arguments, stdin=stdin)


@dataclass(frozen=True)
class Said:
    """What a command answered."""

    code: int
    stdout: str
    stderr: str

    @property
    def causes(self) -> list[str]:
        """The causes in a document of findings, but for those of the machine below the lab."""
        found = json.loads(self.stdout)["findings"]
        is_error = any(item["severity"] == "error" for item in found)
        assert self.code == (1 if is_error else 0), self.stderr
        rules = dict.fromkeys(item["rule"] for item in found)
        return [cause for cause in rules if cause not in OF_THE_MACHINE]


Fault = Callable[[Site], Any]


@pytest.fixture(scope="module")
def site(bare_lab: BareLab) -> Iterator[Site]:
    """A lab of its own, with a host that has joined."""
    with bare_lab("doctor") as lab:
        made = Site(lab, prepare_fleet(lab, cache=cache_directory(), progress=Progress()))
        joined = made.transom("join", "--reboot")
        assert joined.code == 0, joined.stderr
        yield made


@contextmanager
def changed(path: Path, content: bytes | None) -> Iterator[None]:
    """A file with another content, or none, for a while."""
    before = path.read_bytes() if path.is_file() else None
    made = [folder for folder in path.parents if not folder.exists()]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True) if content is None else path.write_bytes(content)
        yield
    finally:
        path.unlink(missing_ok=True) if before is None else path.write_bytes(before)
        for folder in made:
            folder.rmdir()


def file(name: str, content: str | None) -> Fault:
    return lambda site: changed(site.drive / name, None if content is None else content.encode())


def edited(name: str, old: str, new: str) -> Fault:
    def fault(site: Site) -> Any:
        text = (site.drive / name).read_text()
        assert old in text
        return changed(site.drive / name, text.replace(old, new).encode())

    return fault


def client_certificate(name: str, start: int, end: int) -> Fault:
    """Another certificate of the kubelet's client, good from and to so many days from now."""

    @contextmanager
    def fault(site: Site) -> Iterator[None]:
        now = datetime.now(UTC)
        content = pem(f"system:node:{name}", now + timedelta(days=start), now + timedelta(days=end))
        (path,) = (site.drive / "var/lib/kubelet/pki").glob("kubelet-client-2*.pem")
        with changed(path, content):
            yield

    return fault


def registry(key: str, name: str, value: str) -> Fault:
    @contextmanager
    def fault(site: Site) -> Iterator[None]:
        query = site.host.run(["reg", "query", key, "/v", name], check=False)
        before = next((x.split("    ", 3)[3] for x in query.splitlines() if "REG_" in x), None)
        kind = "REG_EXPAND_SZ" if name == "Path" else "REG_SZ"
        site.host.run(["reg", "add", key, "/v", name, "/t", kind, "/d", value, "/f"])
        try:
            yield
        finally:
            if before is None:
                site.host.run(["reg", "delete", key, "/v", name, "/f"])
            else:
                site.host.run(["reg", "add", key, "/v", name, "/t", kind, "/d", before, "/f"])

    return fault


@contextmanager
def reboot_pending(site: Site) -> Iterator[None]:
    site.host.run(["reg", "add", REBOOT, "/f"])
    try:
        yield
    finally:
        site.host.run(["reg", "delete", REBOOT, "/f"])


@contextmanager
def binary_changed(site: Site) -> Iterator[None]:
    path = site.drive / "k/crictl.exe"
    size = path.stat().st_size
    with path.open("ab") as stream:
        stream.write(b"more")
    try:
        yield
    finally:
        with path.open("ab") as stream:
            stream.truncate(size)


@contextmanager
def access_weak(site: Site) -> Iterator[None]:
    """Everybody may write, in the list by which the lab remembers what Wine forgets."""
    path = site.drive / "windows/transom-lab-access.json"
    kept = json.loads(path.read_text())
    folder = r"c:\etc\kubernetes\pki"
    assert folder in kept
    weak = {**kept, folder: kept[folder] + "(A;OICI;FA;;;WD)"}
    with changed(path, json.dumps(weak).encode()):
        yield


@contextmanager
def run_unfinished(site: Site) -> Iterator[None]:
    path = site.drive / "k/transom/state/journal"
    lines = path.read_bytes().splitlines(keepends=True)
    assert b"settled" in lines[-1]
    with changed(path, b"".join(lines[:-1])):
        yield


@contextmanager
def network(site: Site, *, prefix: str = "10.244.0.0/24", vni: int = 4096) -> Iterator[str]:
    """The pod network in the host network service, as flanneld makes it."""
    subnet = {
        "IpAddressPrefix": prefix,
        "Policies": [{"Type": "VSID", "Settings": {"IsolationId": vni}}],
        "Routes": [{"NextHop": prefix.replace(".0/24", ".1"), "DestinationPrefix": "0.0.0.0/0"}],
    }
    document = {
        "Name": "flannel.4096",
        "Type": "Overlay",
        "Flags": 8,
        "Ipams": [{"Type": "Static", "Subnets": [subnet]}],
        "SchemaVersion": {"Major": 2, "Minor": 0},
    }
    answer = site.host.hns.call("HcnCreateNetwork", text=json.dumps(document))
    assert answer.hresult == 0, answer
    try:
        yield json.loads(answer.text)["ID"] if answer.text.startswith("{") else answer.text
    finally:
        site.host.hns.reset()


def with_network(fault: Fault | None = None, **settings: Any) -> Fault:
    """The pod network, with something wrong about it."""

    @contextmanager
    def both(site: Site) -> Iterator[None]:
        with network(site, **settings), ExitStack() as stack:
            if fault is not None:
                stack.enter_context(fault(site))
            yield

    return both


def endpoint(site: Site, network: str, address: str) -> str:
    """A remote endpoint, as kube-proxy makes it for a backend elsewhere."""
    document = {
        "HostComputeNetwork": network,
        "Flags": 1,
        "IpConfigurations": [{"IpAddress": address, "PrefixLength": 24}],
        "MacAddress": f"00-15-5D-00-00-{int(address.rpartition('.')[2]):02X}",
        "SchemaVersion": {"Major": 2, "Minor": 0},
    }
    before = set(site.host.hns.state()["objects"]["Endpoint"])
    answer = site.host.hns.call("HcnCreateEndpoint", parent=network, text=json.dumps(document))
    assert answer.hresult == 0, answer
    (made,) = set(site.host.hns.state()["objects"]["Endpoint"]) - before
    return str(made)


@contextmanager
def purged(site: Site) -> Iterator[None]:
    """A backend of a Service, and no balancer at all."""
    with network(site) as identity:
        endpoint(site, identity, "10.244.0.77")
        yield


@contextmanager
def leaked(site: Site) -> Iterator[None]:
    """Two backends, of which a balancer uses one."""
    with network(site) as identity:
        used = endpoint(site, identity, "10.244.0.78")
        document = {
            "HostComputeEndpoints": [used],
            "FrontendVIPs": ["10.96.0.10"],
            "PortMappings": [{"Protocol": 17, "InternalPort": 53, "ExternalPort": 53}],
            "SchemaVersion": {"Major": 2, "Minor": 0},
        }
        answer = site.host.hns.call("HcnCreateLoadBalancer", text=json.dumps(document))
        assert answer.hresult == 0, answer
        endpoint(site, identity, "10.244.0.77")
        yield


def stop_kubelet(site: Site) -> None:
    site.host.run(["sc", "stop", "kubelet"], check=False)
    site.host.await_service("kubelet", "STOPPED")


def kubelet_says(site: Site, *more: str, times: int = 1) -> None:
    """Let the real kubelet.exe start as its service would, and fail, into its own log."""
    for _ in range(times):
        site.host.run(
            [
                r"C:\k\kube-log-runner.exe",
                r"--log-file=C:\var\log\kubelet\kubelet.log",
                r"C:\k\kubelet.exe",
                r"--config=C:\var\lib\kubelet\config.yaml",
                r"--bootstrap-kubeconfig=C:\etc\kubernetes\bootstrap-kubelet.conf",
                r"--kubeconfig=C:\etc\kubernetes\kubelet.conf",
                r"--cert-dir=C:\var\lib\kubelet\pki",
                *more,
            ],
            check=False,
        )


ANOTHER_PIPE = edited("var/lib/kubelet/config.yaml", "pipe/containerd-containerd", "pipe/nope")

# What is wrong with the host while its kubelet runs on, by the cause that must be named.
FAULTS: list[tuple[str, Fault]] = [
    ("binary-changed", binary_changed),
    ("clock-off", client_certificate("win1", 2, 300)),
    ("certificate-expired", client_certificate("win1", -9, -1)),
    ("name-differs", client_certificate("win9", -1, 300)),
    ("hns-network-missing", file("run/flannel/subnet.env", SUBNET.format("10.244.0.1/24", 1450))),
    ("cni-configuration-missing", file("etc/cni/net.d/10-flannel.conflist", None)),
    ("network-name-differs", file("etc/cni/net.d/05-nat.conf", '{"name": "nat"}')),
    ("overlay-differs", edited("etc/kube-flannel/net-conf.json", "4789", "8472")),
    ("overlay-differs", with_network(vni=4097)),
    ("pod-range-differs", with_network(prefix="10.99.3.0/24")),
    (
        "source-vip-outside",
        with_network(file("sourcevip/sourceVip.json", '{"ip4": {"ip": "10.244.9.2/24"}}')),
    ),
    ("hns-balancers-missing", purged),
    ("hns-endpoints-leaked", leaked),
    (
        "mtu-differs",
        with_network(file("run/flannel/subnet.env", SUBNET.format("10.244.0.1/24", 1500))),
    ),
    ("proxy-without-exceptions", registry(ENVIRONMENT, "HTTPS_PROXY", "http://proxy:3128")),
    ("pause-image-differs", edited("Program Files/containerd/config.toml", "/pause:", "/paus:")),
    ("access-weak", access_weak),
    (
        "kubeadm-flags-ignored",
        edited("var/lib/kubelet/kubeadm-flags.env", 'ARGS="', "ARGS=\"--v='"),  # never closed
    ),
    ("path-wrong", registry(ENVIRONMENT, "Path", r"%SystemRoot%\system32;%SystemRoot%")),
    ("reboot-pending", reboot_pending),
    ("run-unfinished", run_unfinished),
]
# Those that do not hide or exclude each other, for all at once.
TOGETHER = {
    *("binary-changed", "certificate-expired", "hns-network-missing", "network-name-differs"),
    *("proxy-without-exceptions", "pause-image-differs", "access-weak", "kubeadm-flags-ignored"),
    *("path-wrong", "reboot-pending", "run-unfinished"),
}


def test_nothing_is_found_on_a_host_that_is_well(site):
    """Not with the view of the real API server either."""
    said = site.transom("doctor", "-o", "json")
    assert said.causes == [], said.stdout


def test_there_are_faults_of_many_causes():
    """The simulated host has one for every cause; these are put into the real programs' own files."""
    assert len({cause for cause, _ in FAULTS}) >= 19


@pytest.mark.parametrize(
    ("cause", "fault"), FAULTS, ids=[f"{n}-{cause}" for n, (cause, _) in enumerate(FAULTS)]
)
def test_a_fault_is_found_by_name_and_gone_when_it_is_mended(site, cause, fault):
    with fault(site):
        assert site.causes() == [cause]


def test_many_faults_at_once_are_found_on_the_host_and_in_its_archive(site, tmp_path):
    with ExitStack() as stack:
        for cause, fault in FAULTS:
            if cause in TOGETHER:
                stack.enter_context(fault(site))
        on_host = site.transom("doctor", "-o", "json")
        collected = site.transom("collect", "--directory", str(tmp_path), "-o", "json")
    assert collected.code == 0, collected.stderr
    (archive,) = (item["file"] for item in json.loads(collected.stdout)["archives"])
    elsewhere = subprocess.run(
        [sys.executable, "-m", "transom", "doctor", "--archive", archive, "-o", "json"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    in_archive = Said(elsewhere.returncode, elsewhere.stdout, elsewhere.stderr)
    assert set(on_host.causes) == TOGETHER
    assert in_archive.causes == on_host.causes
    assert list((site.drive / "k/transom/collected").iterdir()) == []
    assert site.causes() == [], "a fault was not taken out again"


def test_what_the_real_cluster_knows_is_found(site):
    site.kubectl(
        *("patch", "configmap", "-n", "kube-flannel", "kube-flannel-cfg", "--type=merge", "-p"),
        json.dumps({"data": {"net-conf.json": _net_conf(Type="vxlan")}}),
    )
    site.kubectl("create", "-f", "-", stdin=_request(site))
    try:
        causes = site.transom("doctor", "-o", "json").causes
    finally:
        site.kubectl("delete", "csr", "doctor-test")
        site.kubectl(
            *("patch", "configmap", "-n", "kube-flannel", "kube-flannel-cfg", "--type=merge", "-p"),
            json.dumps({"data": {"net-conf.json": _net_conf(Type="vxlan", VNI=4096, Port=4789)}}),
        )
    assert set(causes) == {"overlay-differs", "certificate-request-pending"}


def test_the_real_kubelet_says_in_its_own_words_why_it_does_not_run(site):
    """Stopped first, then ended by what it was given; its service runs again afterwards."""
    log = (site.drive / LOG).read_bytes()
    stop_kubelet(site)
    assert site.causes() == ["service-stopped"]
    kubelet_says(site, "--network-plugin=cni")
    assert site.causes() == ["flag-refused"]
    with edited("var/lib/kubelet/config.yaml", "kind: Kubelet", "kind: Bubelet")(site):
        kubelet_says(site)
        assert site.causes() == ["kubelet-configuration"]
    with changed(site.drive / "etc/kubernetes/kubelet.conf", None):
        kubelet_says(site)
        assert site.causes() == ["kubelet-kubeconfig"]
    with ANOTHER_PIPE(site):
        kubelet_says(site)
        assert site.causes() == ["kubelet-runtime-unreachable"]
    (site.drive / LOG).write_bytes(log)
    kubelet_says(site, r"--root-dir=C:\k\kubelet.exe", times=3)
    assert site.causes() == ["service-restarting"]
    site.host.run(["sc", "stop", "containerd"], check=False)
    site.host.await_service("containerd", "STOPPED")
    assert site.causes()[0] == "runtime-stopped"


def _net_conf(**backend: object) -> str:
    return json.dumps({"Network": "10.244.0.0/16", "Backend": backend})


def _request(site: Site) -> str:
    """A request for a serving certificate of this node, which Kubernetes itself never approves."""
    import base64

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    del site
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "system:nodes"),
            x509.NameAttribute(NameOID.COMMON_NAME, "system:node:win1"),
        ]
    )
    made = x509.CertificateSigningRequestBuilder().subject_name(subject).sign(key, hashes.SHA256())
    encoded = base64.b64encode(made.public_bytes(serialization.Encoding.PEM)).decode()
    return json.dumps(
        {
            "apiVersion": "certificates.k8s.io/v1",
            "kind": "CertificateSigningRequest",
            "metadata": {"name": "doctor-test"},
            "spec": {
                "request": encoded,
                "signerName": "kubernetes.io/kubelet-serving",
                "usages": ["digital signature", "server auth"],
            },
        }
    )
