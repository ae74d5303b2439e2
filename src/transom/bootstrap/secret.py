"""Boot data inside the Secret that Cluster API keeps it in."""

import base64
import binascii
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from transom.errors import InvalidDocument, UsageError
from transom.yamlio.loader import load

_SECRET = re.compile(rb"(^|\n)[\"'{\s]*kind[\"']?\s*:\s*[\"']?Secret\b|\"kind\":\s*\"Secret\"")
_KEY = "value"


class BootSecret(NamedTuple):
    """A Secret's boot data, and which Secret it was."""

    data: bytes
    namespace: str
    name: str


def secret_in(text: bytes, *, file: str) -> BootSecret | None:
    """The boot data of a Secret's manifest; None where the text is no such manifest."""
    if text.startswith((b"#cloud-config", b"##")) or not _SECRET.search(text):
        return None
    try:
        documents = load(text, name=file)
    except InvalidDocument:
        return None
    for document in documents:
        if isinstance(document.value, Mapping) and document.value.get("kind") == "Secret":
            return _of_secret(document.value, file)
    return None


def _of_secret(value: Mapping[str, Any], file: str) -> BootSecret:
    metadata = value.get("metadata") or {}
    plain, encoded = value.get("stringData") or {}, value.get("data") or {}
    if _KEY in plain:
        data = str(plain[_KEY]).encode()
    elif _KEY in encoded:
        try:
            data = base64.b64decode(str(encoded[_KEY]), validate=False)
        except binascii.Error as error:
            raise UsageError(
                f"the Secret's data.{_KEY} is no base64", subject=file, hint="read it again"
            ) from error
    else:
        raise UsageError(
            f"the Secret has no key {_KEY!r}",
            subject=file,
            hint="name the Secret in the Machine's spec.bootstrap.dataSecretName",
        )
    return BootSecret(data, str(metadata.get("namespace", "")), str(metadata.get("name", "")))
