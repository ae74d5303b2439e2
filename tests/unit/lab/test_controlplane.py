"""The parts of a control plane that are only data."""

import datetime as dt
import re

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from transom_lab.controlplane import ca_certificate_hash, kubeadm_documents


def test_the_configuration_names_the_version_and_the_address_hosts_reach():
    init, cluster, _kubelet = kubeadm_documents("1.36.4")
    assert init["localAPIEndpoint"]["advertiseAddress"] == "10.77.0.2"
    assert cluster["kubernetesVersion"] == "v1.36.4"
    assert "127.0.0.1" in cluster["apiServer"]["certSANs"]


def test_the_pin_is_of_the_public_key_and_not_of_the_certificate():
    """Two certificates of one key have one pin, as kubeadm computes it."""
    key = ec.generate_private_key(ec.SECP256R1())
    pins = {ca_certificate_hash(_certificate(key, serial)) for serial in (1, 2)}
    assert len(pins) == 1
    assert re.fullmatch(r"sha256:[0-9a-f]{64}", pins.pop())


def _certificate(key: ec.EllipticCurvePrivateKey, serial: int) -> str:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kubernetes")])
    begin = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(serial)
        .not_valid_before(begin)
        .not_valid_after(begin + dt.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.PEM).decode()
