"""The real Cluster API core and kubeadm bootstrap controllers, as processes beside the control plane.

Their CRDs and webhook configurations come out of the same module as the programs; only the address
of the webhooks, also of those that convert versions, differs: here they are processes and not pods.
"""

import base64
import datetime as dt
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from transom.errors import PermanentError
from transom_lab.controlplane import ControlPlane
from transom_lab.gomodules import module_source
from transom_lab.programs import Program

MODULE = "sigs.k8s.io/cluster-api"
CONTRACT = {"cluster.x-k8s.io/v1beta2": "v1beta2"}
"""The label by which a controller finds which version of a CRD speaks its contract."""

_ADMIN = "/etc/kubernetes/admin.conf"
_NAMESPACE = "capi-system"
_READY_TIMEOUT_S = 90.0
_CALL_TIMEOUT_S = 60.0
_POLL_S = 0.2


@dataclass(frozen=True)
class Manager:
    """One controller manager: its program, its folder in the module, its ports."""

    program: str
    folder: str
    webhook_port: int
    diagnostics_port: int
    health_port: int


MANAGERS = (
    Manager("capi-core", "core", 9443, 8443, 9440),
    Manager("capi-bootstrap-kubeadm", "bootstrap/kubeadm", 9444, 8444, 9441),
)


def start(plane: ControlPlane, *, kubectl: Path, programs: dict[Program, Path]) -> None:
    """Install the CRDs and webhooks and start the managers; returns when they answer."""
    folder = plane.directory / "cluster-api"
    folder.mkdir(exist_ok=True)
    bundle = _make_certificate(folder)
    found = {program.name: (program, path) for program, path in programs.items()}
    source = module_source(found[MANAGERS[0].program][0], MODULE)
    _apply(
        plane,
        kubectl,
        [{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": _NAMESPACE}}],
    )
    for manager in MANAGERS:
        _apply(plane, kubectl, list(_definitions(source / manager.folder, manager, bundle)))
    for manager in MANAGERS:
        plane.room.spawn(
            manager.program,
            [
                str(found[manager.program][1]),
                "--webhook-cert-dir",
                str(folder),
                f"--webhook-port={manager.webhook_port}",
                f"--diagnostics-address=127.0.0.1:{manager.diagnostics_port}",
                "--insecure-diagnostics",
                f"--health-addr=127.0.0.1:{manager.health_port}",
                "--feature-gates=ClusterTopology=true",
            ],
            log=plane.directory / f"{manager.program}.log",
            env={
                "KUBECONFIG": _ADMIN,
                "POD_NAMESPACE": _NAMESPACE,
                "POD_NAME": manager.program,
                "POD_UID": manager.program,
            },
        )
    for manager in MANAGERS:
        _await_ready(plane, manager)
        text = (source / manager.folder / "config/webhook/manifests.yaml").read_text("utf-8")
        _apply(plane, kubectl, list(webhooks(text, manager, bundle)))


def webhooks(text: str, manager: Manager, bundle: bytes) -> Iterator[dict[str, Any]]:
    """Point the module's webhook configurations at a process on this machine."""
    for document in yaml.safe_load_all(text):
        if not document:
            continue
        document["metadata"]["name"] = f"{manager.program}-{document['metadata']['name']}"
        for hook in document["webhooks"]:
            path = hook["clientConfig"].pop("service")["path"]
            hook["clientConfig"] = _client(manager, path, bundle)
        yield document


def _definitions(folder: Path, manager: Manager, bundle: bytes) -> Iterator[dict[str, Any]]:
    for file in sorted((folder / "config/crd/bases").glob("*.yaml")):
        document = yaml.safe_load(file.read_text(encoding="utf-8"))
        document["metadata"].setdefault("labels", {}).update(CONTRACT)
        if len(document["spec"]["versions"]) > 1:
            client = _client(manager, "/convert", bundle)
            webhook = {"clientConfig": client, "conversionReviewVersions": ["v1"]}
            document["spec"]["conversion"] = {"strategy": "Webhook", "webhook": webhook}
        yield document


def _client(manager: Manager, path: str, bundle: bytes) -> dict[str, str]:
    """Where the API server finds a manager: a process on this machine."""
    return {
        "url": f"https://localhost:{manager.webhook_port}{path}",
        "caBundle": base64.b64encode(bundle).decode(),
    }


def _apply(plane: ControlPlane, kubectl: Path, documents: list[dict[str, Any]]) -> None:
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": documents})
    plane.room.call(
        [str(kubectl), "--kubeconfig", _ADMIN, "apply", "--server-side", "-f", "-"],
        timeout_s=_CALL_TIMEOUT_S,
        stdin=text.encode(),
    )


def _await_ready(plane: ControlPlane, manager: Manager) -> None:
    """Wait for the port of the webhooks: the last thing a manager opens."""
    probe = f"exec 3<>/dev/tcp/127.0.0.1/{manager.webhook_port}"
    deadline = time.monotonic() + _READY_TIMEOUT_S
    while plane.room.call(["bash", "-c", probe], timeout_s=10, check=False).returncode:
        if time.monotonic() > deadline or not plane.room.is_alive(manager.program):
            raise PermanentError(
                f"{manager.program} did not become ready",
                subject=manager.program,
                hint=f"see {plane.directory / manager.program}.log",
            )
        time.sleep(_POLL_S)


def _make_certificate(folder: Path) -> bytes:
    """A self-signed certificate of `localhost`; returned for the webhooks' caBundle."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(days=30))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    private = folder / "tls.key"
    private.touch(mode=0o600)
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    certificate = made.public_bytes(serialization.Encoding.PEM)
    (folder / "tls.crt").write_bytes(certificate)
    return certificate
