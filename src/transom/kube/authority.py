"""The pin of a certificate authority: what kubeadm calls discovery-token-ca-cert-hash. Pure."""

import hashlib

from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def authority_pins(pem: bytes) -> tuple[str, ...]:
    """The SHA-256 of each authority's public key, newest first; raise ValueError where there is none.

    While a cluster changes its authority both are there, in any order; the newest is the one that stays.
    """
    certificates = x509.load_pem_x509_certificates(pem)
    ordered = sorted(certificates, key=lambda item: item.not_valid_before_utc, reverse=True)
    return tuple(dict.fromkeys(_pin(certificate) for certificate in ordered))


def _pin(certificate: x509.Certificate) -> str:
    key = certificate.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return f"sha256:{hashlib.sha256(key).hexdigest()}"
