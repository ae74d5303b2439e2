"""The pin of a certificate authority: what kubeadm calls discovery-token-ca-cert-hash. Pure."""

import hashlib

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def authority_pins(pem: bytes) -> tuple[str, ...]:
    """The SHA-256 of each authority's public key; raise ValueError where there is none."""
    certificates = x509.load_pem_x509_certificates(pem)
    return tuple(_pin(certificate) for certificate in certificates)


def _pin(certificate: x509.Certificate) -> str:
    key = certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return f"sha256:{hashlib.sha256(key).hexdigest()}"
