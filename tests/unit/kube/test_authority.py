"""The pin of an authority is the one kubeadm computes."""

import hashlib

import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from transom.kube.authority import authority_pins


def test_the_pin_is_the_sum_of_the_public_key():
    authority = trustme.CA()
    (pin,) = authority_pins(authority.cert_pem.bytes())
    key = x509.load_pem_x509_certificate(authority.cert_pem.bytes()).public_key()
    spki = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    assert pin == "sha256:" + hashlib.sha256(spki).hexdigest()


def test_a_bundle_has_a_pin_for_each_authority():
    both = trustme.CA().cert_pem.bytes() + trustme.CA().cert_pem.bytes()
    assert len(set(authority_pins(both))) == 2


def test_text_without_a_certificate_is_refused():
    with pytest.raises(ValueError, match="PEM"):
        authority_pins(b"nothing")
