"""A site's signature of a bundle's manifest, made with its private key and checked with the public one.

Any tool that signs a file with SHA-256 (openssl, cosign) makes the same: the manifest has the sum of
every other member, so it is all that needs signing.
"""

import base64
import binascii
from pathlib import Path

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key, load_pem_public_key

from transom.errors import PermanentError, UsageError


def refuse_unsigned(content: bytes, *, signature: Path, key: Path) -> None:
    """Raise unless the signature in that file is of these bytes, by that key."""
    try:
        public = load_pem_public_key(_read(key))
    except (ValueError, UnsupportedAlgorithm) as error:
        raise UsageError(
            f"{key} is no public key", subject=str(key), hint="it must be PEM: RSA, EC or Ed25519"
        ) from error
    signed = _raw(_read(signature))
    try:
        if isinstance(public, rsa.RSAPublicKey):
            public.verify(signed, content, padding.PKCS1v15(), hashes.SHA256())
        elif isinstance(public, ec.EllipticCurvePublicKey):
            public.verify(signed, content, ec.ECDSA(hashes.SHA256()))
        elif isinstance(public, ed25519.Ed25519PublicKey):
            public.verify(signed, content)
        else:
            raise UsageError(f"{key} is a key of a kind that is not checked", subject=str(key))
    except InvalidSignature as error:
        raise PermanentError(
            f"{signature} is not this bundle's signature by {key}",
            subject=str(signature),
            hint="do not use the bundle: it is not the one that was signed",
        ) from error


def sign(content: bytes, *, key: Path) -> bytes:
    """The signature of these bytes by that private key."""
    try:
        private = load_pem_private_key(_read(key), password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise UsageError(
            f"{key} is no private key that can be used",
            subject=str(key),
            hint="it must be PEM without a passphrase: RSA, EC or Ed25519; with one, sign with openssl "
            "what `transom bundle verify --print-manifest` prints",
        ) from error
    if isinstance(private, rsa.RSAPrivateKey):
        return private.sign(content, padding.PKCS1v15(), hashes.SHA256())
    if isinstance(private, ec.EllipticCurvePrivateKey):
        return private.sign(content, ec.ECDSA(hashes.SHA256()))
    if isinstance(private, ed25519.Ed25519PrivateKey):
        return private.sign(content)
    raise UsageError(f"{key} is a key of a kind that does not sign here", subject=str(key))


def _raw(content: bytes) -> bytes:
    """The signature's bytes: cosign writes them as base64, openssl as they are."""
    try:
        return base64.b64decode(content.strip(), validate=True)
    except binascii.Error:
        return content


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}", subject=str(path)) from error
