"""A complete kubeadm control plane of plain processes in a room of its own.

kubeadm refuses loopback addresses and writes to /etc/kubernetes; so the room has an address on the
lab's bridge and an /etc of its own, kept below the lab's directory. `certificatesDir` must stay at
its default because kubeadm copies that path into the kubelet configuration that reaches the hosts.
"""

import json
import shutil
import time
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

from transom.errors import PermanentError
from transom_lab.namespaces import Bind, Room
from transom_lab.network import CONTROL_PLANE, POD_SUBNET, SERVICE_SUBNET, connect

_PKI = "/etc/kubernetes/pki"
_ADMIN = "/etc/kubernetes/super-admin.conf"
_ETCD = "http://127.0.0.1:2379"
_PHASE_TIMEOUT_S = 90.0
_READY_TIMEOUT_S = 90.0
_POLL_S = 0.1
_TOKEN_GROUP = "system:bootstrappers:kubeadm:default-node-token"  # noqa: S105 - a group's name

# What a program linked against the C library reads; the rest of the machine's /etc is not shown.
_ETC_FILES = ("group", "ld.so.cache", "nsswitch.conf", "passwd", "protocols", "services")


class Component(StrEnum):
    """The processes of a control plane, in the order they start."""

    ETCD = "etcd"
    APISERVER = "apiserver"
    CONTROLLER_MANAGER = "controller-manager"
    SCHEDULER = "scheduler"


PROGRAMS: Mapping[Component, str] = {
    Component.APISERVER: "kube-apiserver",
    Component.CONTROLLER_MANAGER: "kube-controller-manager",
    Component.SCHEDULER: "kube-scheduler",
}


class ControlPlane:
    """The control plane of one lab, below one directory; survives the process that started it."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.room = Room(directory / "run")
        self.admin_conf = directory / "admin.conf"

    @property
    def ca_certificate(self) -> Path:
        """The cluster's certificate authority, as the machine sees it."""
        return self.directory / "etc" / "kubernetes" / "pki" / "ca.crt"

    def start(
        self,
        ground: Room,
        *,
        version: str,
        programs: Mapping[str, Path],
        components: Collection[Component],
        local_port: int,
    ) -> None:
        """Start from nothing and return when the API server is ready and hosts can join."""
        self._prepare_etc()
        self.room.open(
            hostname="cp", binds=[Bind(self.directory / "etc", Path("/etc"))], within=ground
        )
        connect(ground, self.room, name="cp", address=CONTROL_PLANE)
        kubeadm = [str(programs["kubeadm"])]
        config = self.directory / "kubeadm.json"
        config.write_text(_join_documents(kubeadm_documents(version)), encoding="utf-8")
        for phase in ("certs all", "kubeconfig all"):
            self._phase(kubeadm, phase, config)
        for component in (part for part in Component if part in components):
            argv = [str(programs[component]), *ARGUMENTS[component](self.directory)]
            self.room.spawn(component, argv, log=self.directory / f"{component}.log")
            if component is Component.APISERVER:
                self._await_ready(programs["kubectl"])
        self._bind_admins(programs["kubectl"])
        for phase in (
            *("upload-config kubeadm", "upload-config kubelet", "bootstrap-token"),
            *("addon kube-proxy", "addon coredns"),
        ):
            self._phase(kubeadm, phase, config)
        self._write_admin_conf(local_port)

    def alive(self) -> set[Component]:
        """The components whose processes run."""
        return {component for component in Component if self.room.is_alive(component)}

    def create_token(self, kubeadm: Path, *, ttl: str = "2h0m0s") -> str:
        """Make a bootstrap token that the real discovery accepts."""
        done = self.room.call(
            [str(kubeadm), "--kubeconfig", _ADMIN, "token", "create", "--ttl", ttl],
            timeout_s=_PHASE_TIMEOUT_S,
        )
        return done.stdout.decode().strip()

    def _prepare_etc(self) -> None:
        etc = self.directory / "etc"
        etc.mkdir(parents=True, exist_ok=True)
        for name in _ETC_FILES:
            if (original := Path("/etc") / name).is_file():
                shutil.copy(original, etc / name)
        (etc / "hosts").write_text(f"127.0.0.1 localhost\n{CONTROL_PLANE} cp\n", encoding="ascii")
        (etc / "resolv.conf").touch()

    def _phase(self, kubeadm: Sequence[str], phase: str, config: Path) -> None:
        argv = [*kubeadm, "init", "phase", *phase.split(), "--config", str(config)]
        done = self.room.call(argv, timeout_s=_PHASE_TIMEOUT_S)
        with (self.directory / "kubeadm.log").open("ab") as log:
            log.write(done.stdout + done.stderr)

    def _await_ready(self, kubectl: Path) -> None:
        deadline = time.monotonic() + _READY_TIMEOUT_S
        argv = [str(kubectl), "--kubeconfig", _ADMIN, "get", "--raw", "/readyz"]
        while self.room.call(argv, timeout_s=_PHASE_TIMEOUT_S, check=False).returncode:
            if time.monotonic() > deadline or not self.room.is_alive(Component.APISERVER):
                raise PermanentError(
                    f"the API server did not become ready: {self._last_words(Component.APISERVER)}",
                    subject=Component.APISERVER,
                    hint=f"see {self.directory / 'apiserver.log'}",
                )
            time.sleep(_POLL_S)

    def _last_words(self, component: Component) -> str:
        lines = (self.directory / f"{component}.log").read_text(errors="replace").splitlines()
        return lines[-1] if lines else "it said nothing"

    def _bind_admins(self, kubectl: Path) -> None:
        name = "kubeadm:cluster-admins"
        self.room.call(
            [
                *(str(kubectl), "--kubeconfig", _ADMIN, "create", "clusterrolebinding", name),
                *("--clusterrole=cluster-admin", f"--group={name}"),
            ],
            timeout_s=_PHASE_TIMEOUT_S,
        )

    def _write_admin_conf(self, local_port: int) -> None:
        """A kubeconfig for the machine itself, through the forwarded port on its loopback."""
        inside = (self.directory / "etc" / "kubernetes" / "admin.conf").read_text(encoding="utf-8")
        text = inside.replace(f"https://{CONTROL_PLANE}:6443", f"https://127.0.0.1:{local_port}")
        self.admin_conf.touch(mode=0o600)
        self.admin_conf.write_text(text, encoding="utf-8")


def ca_certificate_hash(pem: str) -> str:
    """The pin kubeadm calls discovery-token-ca-cert-hash: SHA-256 of the public key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization

    key = x509.load_pem_x509_certificate(pem.encode()).public_key()
    spki = key.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    digest = hashes.Hash(hashes.SHA256())
    digest.update(spki)
    return f"sha256:{digest.finalize().hex()}"


def kubeadm_documents(version: str) -> list[dict[str, Any]]:
    """The kubeadm configuration of the lab."""
    return [
        {
            "apiVersion": "kubeadm.k8s.io/v1beta4",
            "kind": "InitConfiguration",
            "localAPIEndpoint": {"advertiseAddress": str(CONTROL_PLANE), "bindPort": 6443},
            "nodeRegistration": {"name": "cp", "criSocket": "unix:///run/none.sock"},
        },
        {
            "apiVersion": "kubeadm.k8s.io/v1beta4",
            "kind": "ClusterConfiguration",
            "kubernetesVersion": f"v{version}",
            "controlPlaneEndpoint": f"{CONTROL_PLANE}:6443",
            "networking": {"podSubnet": POD_SUBNET, "serviceSubnet": SERVICE_SUBNET},
            "apiServer": {"certSANs": ["127.0.0.1", "localhost"]},
        },
        {
            "apiVersion": "kubelet.config.k8s.io/v1beta1",
            "kind": "KubeletConfiguration",
            # The hosts' disk is this machine's: no node is short of it because others fill that.
            "evictionHard": {
                "memory.available": "100Mi",
                "nodefs.available": "1%",
                "imagefs.available": "1%",
            },
            "imageGCHighThresholdPercent": 100,
        },
    ]


def _join_documents(documents: Sequence[Mapping[str, Any]]) -> str:
    """JSON is YAML, and needs no YAML writer here."""
    return "\n---\n".join(json.dumps(document) for document in documents)


def _etcd(directory: Path) -> list[str]:
    return [
        f"--data-dir={directory / 'etcd'}",
        f"--listen-client-urls={_ETCD}",
        f"--advertise-client-urls={_ETCD}",
        "--listen-peer-urls=http://127.0.0.1:2380",
        # A lab is thrown away: durability would only cost time.
        "--unsafe-no-fsync",
    ]


def _apiserver(_: Path) -> list[str]:
    return [
        f"--advertise-address={CONTROL_PLANE}",
        "--allow-privileged=true",
        "--authorization-mode=Node,RBAC",
        f"--client-ca-file={_PKI}/ca.crt",
        "--enable-admission-plugins=NodeRestriction",
        "--enable-bootstrap-token-auth=true",
        f"--etcd-servers={_ETCD}",
        f"--kubelet-client-certificate={_PKI}/apiserver-kubelet-client.crt",
        f"--kubelet-client-key={_PKI}/apiserver-kubelet-client.key",
        "--kubelet-preferred-address-types=InternalIP,ExternalIP,Hostname",
        f"--proxy-client-cert-file={_PKI}/front-proxy-client.crt",
        f"--proxy-client-key-file={_PKI}/front-proxy-client.key",
        "--requestheader-allowed-names=front-proxy-client",
        f"--requestheader-client-ca-file={_PKI}/front-proxy-ca.crt",
        "--requestheader-extra-headers-prefix=X-Remote-Extra-",
        "--requestheader-group-headers=X-Remote-Group",
        "--requestheader-username-headers=X-Remote-User",
        "--secure-port=6443",
        "--service-account-issuer=https://kubernetes.default.svc.cluster.local",
        f"--service-account-key-file={_PKI}/sa.pub",
        f"--service-account-signing-key-file={_PKI}/sa.key",
        f"--service-cluster-ip-range={SERVICE_SUBNET}",
        f"--tls-cert-file={_PKI}/apiserver.crt",
        f"--tls-private-key-file={_PKI}/apiserver.key",
    ]


def _client(name: str) -> list[str]:
    conf = f"/etc/kubernetes/{name}.conf"
    return [
        f"--kubeconfig={conf}",
        f"--authentication-kubeconfig={conf}",
        f"--authorization-kubeconfig={conf}",
        "--leader-elect=false",
    ]


def _controller_manager(_: Path) -> list[str]:
    return [
        *_client("controller-manager"),
        "--allocate-node-cidrs=true",
        f"--client-ca-file={_PKI}/ca.crt",
        f"--cluster-cidr={POD_SUBNET}",
        f"--cluster-signing-cert-file={_PKI}/ca.crt",
        f"--cluster-signing-key-file={_PKI}/ca.key",
        "--controllers=*,bootstrapsigner,tokencleaner",
        f"--requestheader-client-ca-file={_PKI}/front-proxy-ca.crt",
        f"--root-ca-file={_PKI}/ca.crt",
        f"--service-account-private-key-file={_PKI}/sa.key",
        f"--service-cluster-ip-range={SERVICE_SUBNET}",
        "--use-service-account-credentials=true",
    ]


def _scheduler(_: Path) -> list[str]:
    return _client("scheduler")


ARGUMENTS = {
    Component.ETCD: _etcd,
    Component.APISERVER: _apiserver,
    Component.CONTROLLER_MANAGER: _controller_manager,
    Component.SCHEDULER: _scheduler,
}
