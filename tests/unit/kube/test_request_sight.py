"""A certificate request is read as the cluster's signer reads it, or is said to be unreadable."""

import base64

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtensionOID, NameOID

from transom.kube.sight import request_sight

KEY = ec.generate_private_key(ec.SECP256R1())
SUBJECT = x509.Name(
    [
        x509.NameAttribute(NameOID.ORGANIZATION_NAME, "system:nodes"),
        x509.NameAttribute(NameOID.COMMON_NAME, "system:node:win-01"),
    ]
)
EXTENSION_REQUEST = bytes.fromhex("06092a864886f70d01090e")
MICROSOFTS = bytes.fromhex("060a2b06010401823702010e")


def der(tag, *parts):
    """One DER value; the tests' own encoder writes what no library agrees to write."""
    content = b"".join(parts)
    size = len(content)
    if size < 0x80:
        return bytes([tag, size]) + content
    width = (size.bit_length() + 7) // 8
    return bytes([tag, 0x80 | width]) + size.to_bytes(width) + content


def dns(name):
    return der(0x82, name.encode())


SERVICE = dns("kubernetes.default.svc") + der(0x87, bytes([10, 96, 0, 1]))
BROKEN_ID = der(0x88, b"\x80")  # a registeredID whose OID never ends; Go does not look at it
X400 = der(0xA3, der(0x30))
EDI_PARTY = der(0xA5, der(0xA1, der(0x0C, b"me")))


def san(*names):
    return der(0x30, *names)


def pem(*extensions, subject=SUBJECT):
    """A request with extensions of those bytes, whatever they are."""
    builder = x509.CertificateSigningRequestBuilder().subject_name(subject)
    for value in extensions:
        oid = ExtensionOID.SUBJECT_ALTERNATIVE_NAME
        builder = builder.add_extension(x509.UnrecognizedExtension(oid, value), critical=False)
    return builder.sign(KEY, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def pem_with_attributes(*attributes):
    """A request whose attributes are those bytes; nobody here checks its signature."""
    public = KEY.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    info = der(0x30, der(2, b"\0"), SUBJECT.public_bytes(), public, der(0xA0, *attributes))
    algorithm = bytes.fromhex("300a06082a8648ce3d040302")
    encoded = base64.encodebytes(der(0x30, info, algorithm, der(3, b"\0", der(0x30))))
    return (
        b"-----BEGIN CERTIFICATE REQUEST-----\n" + encoded + b"-----END CERTIFICATE REQUEST-----\n"
    )


def attribute(kind, *names):
    extension = der(0x30, bytes.fromhex("0603551d11"), der(4, san(*names)))
    return der(0x30, kind, der(0x31, der(0x30, extension)))


def sight(request):
    return request_sight(
        {
            "metadata": {"name": "csr-1", "creationTimestamp": "2026-01-02T00:00:00Z"},
            "spec": {
                "request": base64.b64encode(request).decode(),
                "signerName": "kubernetes.io/kubelet-serving",
                "username": "system:node:win-01",
                "usages": ["digital signature", "server auth"],
            },
        }
    )


def test_what_a_kubelet_asks_for_is_read():
    seen = sight(pem(san(dns("win-01"), der(0x87, bytes([10, 0, 0, 21])))))
    assert (seen.subject, seen.names) == ("system:node:win-01", ("win-01", "10.0.0.21"))
    assert seen.unreadable == ""


@pytest.mark.parametrize(
    "request_of_the_host",
    [
        pytest.param(pem(san(BROKEN_ID, SERVICE)), id="registeredID with a broken OID"),
        pytest.param(pem(san(dns("win-01"), X400, SERVICE)), id="x400Address"),
        pytest.param(pem(san(dns("win-01"), EDI_PARTY)), id="ediPartyName"),
        pytest.param(pem(san(dns("win-01")) + b"\0"), id="bytes after the names"),
        pytest.param(pem(b"\x30\x80" + dns("win-01") + b"\0\0"), id="indefinite length"),
        pytest.param(
            pem(san(dns("win-01"), der(0x87, bytes([10, 0, 0])))), id="an address of three bytes"
        ),
        pytest.param(
            pem_with_attributes(
                attribute(MICROSOFTS, dns("win-01")), attribute(EXTENSION_REQUEST, SERVICE)
            ),
            id="two attributes, of which libraries read another one",
        ),
        pytest.param(
            pem_with_attributes(
                attribute(EXTENSION_REQUEST, dns("win-01")), attribute(EXTENSION_REQUEST, SERVICE)
            ),
            id="the same attribute twice",
        ),
        pytest.param(
            pem_with_attributes(attribute(MICROSOFTS, dns("win-01"))), id="only Microsoft's own"
        ),
        pytest.param(
            b"-----BEGIN JUNK-----\n\n" + pem(san(dns("win-01"))), id="text before the request"
        ),
        pytest.param(
            pem(san(dns("win-01"))) + pem(san(SERVICE)), id="a second request behind the first"
        ),
        pytest.param(
            pem(san(dns("win-01"))).replace(b"REQUEST", b"REQUESTS"), id="no request by its name"
        ),
        pytest.param(b"\xff\xfe", id="no text"),
        pytest.param(b"", id="nothing"),
    ],
)
def test_a_request_that_two_readers_may_read_differently_is_unreadable(request_of_the_host):
    seen = sight(request_of_the_host)
    assert seen.unreadable
    assert seen.names == ()


@pytest.mark.parametrize("asked", [pem(), pem(san())], ids=["without names", "an empty list"])
def test_a_request_for_no_name_is_read_as_that(asked):
    seen = sight(asked)
    assert (seen.subject, seen.names, seen.unreadable) == ("system:node:win-01", (), "")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        (der(0x81, b"root@win-01"), "root@win-01"),
        (der(0x86, b"spiffe://shop/win-01"), "spiffe://shop/win-01"),
    ],
)
def test_a_name_of_a_kind_that_no_node_has_is_shown(name, shown):
    seen = sight(pem(san(dns("win-01"), name)))
    assert any(shown in item for item in seen.names)
    assert "win-01" in seen.names


def test_a_subject_with_two_common_names_is_nobodys():
    twice = x509.Name(
        [
            x509.NameAttribute(NameOID.COMMON_NAME, "system:node:win-01"),
            x509.NameAttribute(NameOID.COMMON_NAME, "system:node:win-02"),
        ]
    )
    seen = sight(pem(san(dns("win-01")), subject=twice))
    assert (seen.subject, seen.names) == ("", ())
    assert "subject" in seen.unreadable


def test_a_request_that_is_no_base64_is_unreadable_too():
    found = {
        "metadata": {"name": "csr-1"},
        "spec": {"request": "a", "signerName": "example.com/any"},
    }
    assert request_sight(found).unreadable
