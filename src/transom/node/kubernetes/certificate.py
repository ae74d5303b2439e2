"""The few fields of an X.509 certificate that a diagnosis or an adoption needs, read from DER by hand.

The standard library reads no certificate of a client; the embeddable Python has nothing else.
"""

import base64
import binascii
import hashlib
import re
from collections.abc import Iterator
from datetime import UTC, datetime

from transom.model.records import dataclass

_PEM = re.compile(
    r"-----BEGIN CERTIFICATE-----(?P<body>[A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----"
)
_VERSION, _UTC_TIME, _LONG_FORM = 0xA0, 0x17, 0x80
_COMMON_NAME = bytes((0x55, 0x04, 0x03))
_PIVOT = 50  # of the two digits of a UTCTime's year, by RFC 5280


@dataclass(frozen=True, slots=True)
class Certificate:
    """Who a certificate is for, who signed it, from when to when it is good, and its key's pin.

    The pin is what kubeadm calls discovery-token-ca-cert-hash.
    """

    subject: str
    issuer: str
    not_before: int
    not_after: int
    key_pin: str = ""


def certificates_in(text: str) -> Iterator[Certificate]:
    """Every certificate in a PEM file; what cannot be read is left out."""
    for match in _PEM.finditer(text):
        try:
            yield _read(base64.b64decode(match["body"]))
        except (ValueError, IndexError, binascii.Error):
            continue


def _read(der: bytes) -> Certificate:
    (_, outer), *_ = _items(der)
    (_, body), *_ = _items(outer)
    fields = list(_items(body))
    if fields[0][0] == _VERSION:
        fields = fields[1:]
    _serial, _algorithm, issuer, validity, subject, key, *_ = fields
    start, end = (_time(tag, value) for tag, value in _items(validity[1]))
    pin = hashlib.sha256(_encoded(*key)).hexdigest()
    return Certificate(_name(subject[1]), _name(issuer[1]), start, end, f"sha256:{pin}")


def _encoded(tag: int, content: bytes) -> bytes:
    """A field as it stood in the certificate."""
    length = len(content)
    if length < _LONG_FORM:
        return bytes((tag, length)) + content
    size = length.to_bytes((length.bit_length() + 7) // 8, "big")
    return bytes((tag, _LONG_FORM | len(size))) + size + content


def _items(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The tags and contents one after another."""
    position = 0
    while position < len(data):
        tag, length = data[position], data[position + 1]
        position += 2
        if length & _LONG_FORM:
            count = length & ~_LONG_FORM
            length = int.from_bytes(data[position : position + count], "big")
            position += count
        if position + length > len(data):
            raise ValueError("a field is longer than what holds it")
        yield tag, data[position : position + length]
        position += length


def _name(data: bytes) -> str:
    for _, group in _items(data):
        for _, pair in _items(group):
            (_, identifier), (_, value) = _items(pair)
            if identifier == _COMMON_NAME:
                return value.decode("utf-8", "replace")
    return ""


def _time(tag: int, value: bytes) -> int:
    text = value.decode("ascii").removesuffix("Z")
    if tag == _UTC_TIME:
        text = ("20" if int(text[:2]) < _PIVOT else "19") + text
    return int(datetime.strptime(text, "%Y%m%d%H%M%S").replace(tzinfo=UTC).timestamp())
