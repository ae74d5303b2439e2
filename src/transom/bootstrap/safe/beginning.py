"""The beginning of boot data, where cloudbase-init decides what it is: brought to the first byte."""

import base64
import binascii
import gzip
import zlib

from transom.bootstrap import multipart, template
from transom.bootstrap.reader import GZIP
from transom.bootstrap.safe.change import Changes
from transom.errors import UsageError

_MARK = "\ufeff"
_HEADER = "#cloud-config"
_TEMPLATE = "## template: jinja"
_HINT = "name boot data that begins with #cloud-config, as Cluster API writes it"


def beginning(data: bytes, changes: Changes) -> tuple[str, bool]:
    """The cloud-config's text below its header, and whether it is a template."""
    text = _text(_unpacked(data, changes))
    stripped = text.lstrip(f"{_MARK} \t\r\n")
    if stripped != text and stripped.startswith((_HEADER, "##")):
        changes.note("BOOT003", "what stood before the first line is gone")
        text = stripped
    is_template = template.is_template(text.encode())
    if is_template:
        text = text.partition("\n")[2].lstrip("\r\n")
    if not text.startswith(_HEADER):
        raise UsageError("it is no cloud-config", subject="the boot data", hint=_HINT)
    body = text.partition("\n")[2]
    if multipart.is_multipart(text):
        changes.note("BOOT004", "a blank line below the header keeps it from being taken for MIME")
    return body, is_template


def header(*, is_template: bool) -> str:
    """The first lines, with the blank one that keeps them from being taken for MIME."""
    return f"{_TEMPLATE}\n{_HEADER}\n\n" if is_template else f"{_HEADER}\n\n"


def _unpacked(data: bytes, changes: Changes) -> bytes:
    try:
        inside = base64.b64decode(b"".join(data.split()), validate=True)
    except binascii.Error:
        inside = b""
    if inside.startswith((_HEADER.encode(), b"##", GZIP)):
        changes.note("BOOT007", "base64 is decoded")
        data = inside
    if data.startswith(GZIP):
        changes.note("BOOT006", "it is no longer compressed")
        try:
            return gzip.decompress(data)
        except (OSError, EOFError, zlib.error) as error:
            raise UsageError(
                "it is compressed and damaged", subject="the boot data", hint="read it again"
            ) from error
    return data


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        raise UsageError(
            f"byte {error.start + 1} is not UTF-8", subject="the boot data", hint=_HINT
        ) from error
