"""Joins of the node program beside the usual one: cut off by a network, settled late, made by hand."""

import base64
import json
import time
from dataclasses import replace

import pytest
from tests.support import lab_node as usual
from tests.support.lab_node import POD_NETWORK, changed, differences

from transom.model.recipe import File
from transom.model.request import Verb
from transom_lab.network import CONTROL_PLANE

site, prepared = usual.site, usual.prepared


@pytest.mark.parametrize("down_s", [25, 1], ids=["for good", "for a moment"])
def test_a_join_is_taken_back_when_its_pod_network_cuts_the_host_off(prepared, eventually, down_s):
    """The network is lost exactly when the first HNS network is made, long after the run's end."""
    request = replace(prepared.request(Verb.JOIN), unreachable_s=8)
    name = f"cut{down_s}"
    assert prepared.call(f"join --run {name}", request).code == 0
    hns = prepared.host.hns
    hns.interrupt_at_next_switch(down_s=down_s)
    assert hns.call("HcnCreateNetwork", text=json.dumps(POD_NETWORK)).hresult == 0
    events = prepared.host.drive_c / "k" / "transom" / "state" / "events" / f"{name}-network.jsonl"
    if down_s == 1:
        time.sleep(12)  # longer than the watch is patient
        assert prepared.has_joined()
        assert not events.exists()
        return
    eventually(
        lambda: events.exists() and '"state":"failed"' in events.read_text(), "undone", timeout_s=60
    )
    assert not prepared.has_joined()
    assert "flannel.4096" not in json.dumps(hns.state())
    assert prepared.host.service_state("containerd") == "RUNNING"
    eventually(lambda: reaches_api(prepared), "the adapter is back", timeout_s=40)


def reaches_api(site):
    """Whether the host's adapter works."""
    script = f"import socket; socket.create_connection(('{CONTROL_PLANE}', 6443), 2); print('yes')"
    return "yes" in site.host.run([r"C:\Python\python.exe", "-c", script], check=False)


_LATE = File(
    path=r"C:\k\late.conf",
    content='{"subnet": "{{nodePodCIDR}}"}',
    acl="",
    why="",
    fills=("nodePodCIDR",),
)


def test_settings_and_files_that_have_to_wait_for_the_join_come_after_it(prepared):
    """As for a kubeadm that takes no patches, and a network that needs the node's pod range."""
    recipe = replace(
        prepared.recipe,
        files=(*(f for f in prepared.recipe.files if "patches" not in f.path), _LATE),
        kubelet=replace(prepared.recipe.kubelet, patch_file="", config={"maxPods": 37}),
        join=replace(prepared.recipe.join, patches_directory=""),
    )
    joined = prepared.run(Verb.JOIN, recipe=recipe)
    assert joined.code == 0, joined.lines
    assert {"kubelet-settings", "late-files"} <= set(changed(joined))
    assert prepared.await_ready()["status"]["capacity"]["pods"] == "37"
    assert range_of(prepared) == json.loads(late_file(prepared))["subnet"]
    assert changed(prepared.run(Verb.JOIN, recipe=recipe)) == []


def test_a_host_joins_without_kubeadm_from_a_kubeconfig(prepared):
    """The manual way: a credential made by hand, no token and no kubeadm.exe; reset takes all back."""
    before = prepared.snapshot()
    recipe = replace(prepared.recipe, files=(*prepared.recipe.files, _LATE))
    name = prepared.host.drive_c / "k" / "transom" / "node.conf"
    name.write_text(node_kubeconfig(prepared))
    prepared.kubectl("delete", "node", prepared.name, "--ignore-not-found")
    request = replace(prepared.request(Verb.JOIN, recipe=recipe), join=None)
    joined = prepared.call(r"join --run byhand --kubeconfig C:\k\transom\node.conf", request)
    assert joined.code == 0, joined.lines
    name.unlink()
    assert prepared.await_ready()["metadata"]["labels"]["transom.dev/prepared"] == "true"
    assert range_of(prepared) == json.loads(late_file(prepared))["subnet"]
    (key,) = (prepared.host.drive_c / "var/lib/kubelet/pki").glob("kubelet-client-2*.pem")
    assert (key.parent / "kubelet-client-current.pem").is_symlink()
    secret = key.read_text().splitlines()[-3].encode()
    found = (path for path in prepared.host.drive_c.rglob("*") if not path.is_symlink())
    files = (path for path in found if path.is_file())
    assert [path for path in files if secret in path.read_bytes()] == [key]
    assert prepared.run(Verb.RESET).code == 0
    assert prepared.run(Verb.PREPARE).code == 0
    assert differences(before, prepared.snapshot()) == {}


def range_of(site):
    return json.loads(site.kubectl("get", "node", site.name, "-o", "json"))["spec"]["podCIDR"]


def late_file(site):
    return (site.host.drive_c / "k" / "late.conf").read_text()


def node_kubeconfig(site):
    """A kubeconfig for the node, signed by the cluster's own authority."""
    from datetime import UTC, datetime, timedelta

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec, rsa
    from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

    certificate = site.lab.control_plane.ca_certificate
    authority = x509.load_pem_x509_certificate(certificate.read_bytes())
    signer = serialization.load_pem_private_key(
        certificate.with_suffix(".key").read_bytes(), password=None
    )
    assert isinstance(signer, rsa.RSAPrivateKey)
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name(
        [
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "system:nodes"),
            x509.NameAttribute(NameOID.COMMON_NAME, f"system:node:{site.name}"),
        ]
    )
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(authority.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]), critical=False)
        .sign(signer, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    )
    coded = {
        name: base64.b64encode(data).decode()
        for name, data in (
            ("ca", certificate.read_bytes()),
            ("certificate", made.public_bytes(pem)),
            ("key", private),
        )
    }
    return f"""\
apiVersion: v1
kind: Config
current-context: node
contexts:
- name: node
  context:
    cluster: lab
    user: node
clusters:
- name: lab
  cluster:
    server: https://{CONTROL_PLANE}:6443
    certificate-authority-data: {coded["ca"]}
users:
- name: node
  user:
    client-certificate-data: {coded["certificate"]}
    client-key-data: {coded["key"]}
"""
