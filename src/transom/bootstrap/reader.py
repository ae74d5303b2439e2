"""Boot data followed from its first byte: what cloudbase-init takes it for, and what it does then.

The same bytes always give the same story.
"""

import base64
import binascii
import gzip
import io
import zlib
from dataclasses import replace

from transom.bootstrap import cloud_config, multipart, script, template
from transom.bootstrap.machine import Machine
from transom.bootstrap.story import Outcome, Stop, Story, Telling
from transom.facts.names import cloudbase_name
from transom.yamlio.python_yaml import Place

GZIP = b"\x1f\x8b"
_CLOUD_CONFIG = b"#cloud-config"
_CERTIFICATE = b"-----BEGIN CERTIFICATE-----"
_REBOOTS = (1001, 1003)
_AGAIN = (1002, 1003)
# Traps of the template itself, whose places are in it already.
_OF_TEMPLATE = ("BOOT014", "BOOT072")


def tell(data: bytes, machine: Machine) -> Story:
    """The story of boot data on a machine."""
    telling = Telling()
    try:
        answer = _follow(data, telling, machine)
        outcome = Outcome.DONE
    except Stop:
        answer, outcome = 0, Outcome.FAILED
    return Story(
        acts=tuple(telling.acts),
        outcome=outcome,
        reboot=answer in _REBOOTS,
        again=answer in _AGAIN,
        remarks=tuple(telling.remarks),
    )


def unpacked(data: bytes, machine: Machine) -> bytes:
    """The data as cloudbase-init's service hands it on; raise Stop where it cannot."""
    if not data.startswith(GZIP) or (machine.platform and not machine.platform.unpacks_gzip):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data), mode="rb") as file:
            return file.read()
    except (OSError, EOFError, zlib.error) as error:
        raise Stop from error


def _follow(data: bytes, telling: Telling, machine: Machine) -> int:
    if data.startswith(GZIP) and machine.platform and not machine.platform.unpacks_gzip:
        telling.remark_at("BOOT006", machine.platform.service, Place(1, 1))
    data = unpacked(data, machine)
    if not data:
        return 0
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        telling.remark_at("BOOT001", f"byte {error.start + 1} is not UTF-8", Place(1, 1))
        raise Stop from error
    if multipart.is_multipart(text):
        if data.startswith((_CLOUD_CONFIG, b"##")):
            telling.remark_at("BOOT004", "Content-Type: multipart", _line_of(text, "Content-Type"))
        return multipart.follow(text, telling, machine)
    if template.is_template(data):
        rendered = _rendered(data, telling, machine)
        try:
            return _run(rendered, telling, machine)
        finally:
            _place_in_template(telling, rendered.decode(), text)
    return _run(data, telling, machine)


def _run(data: bytes, telling: Telling, machine: Machine) -> int:
    """Tell what is done with data that is no MIME and needs no rendering any more."""
    if data.startswith(_CLOUD_CONFIG):
        return cloud_config.follow(data, telling, machine)
    if data.strip().startswith(_CERTIFICATE):
        telling.remark_at("BOOT003", "a certificate", Place(1, 1))
        return 0
    answer = script.run_text(data, telling, machine)
    if answer is None:
        trap = "BOOT007" if _is_encoded(data) else "BOOT003"
        telling.remark_at(trap, _beginning(data), Place(1, 1))
        return 0
    return answer


def _is_encoded(data: bytes) -> bool:
    """Whether it is base64 of something that would run."""
    try:
        inside = base64.b64decode(b"".join(data.split()), validate=True)
    except binascii.Error:
        return False
    known = (_CLOUD_CONFIG, GZIP, b"## template", b"MIME-Version", b"Content-Type")
    return inside.startswith(known) or bool(script.interpreter_of(inside))


def _rendered(data: bytes, telling: Telling, machine: Machine) -> bytes:
    try:
        rendered = template.render(data, machine.instance_data())
    except template.ReachesPython as error:
        telling.remark_at("BOOT016", error.reason, Place(error.line, 1))
        raise Stop from error
    except template.NotRendered as error:
        telling.remark_at("BOOT015", error.reason, Place(error.line, 1))
        raise Stop from error
    text = data.decode()
    for name in rendered.missing:
        telling.remark_at("BOOT014", name, _line_of(text, name))
    name = cloudbase_name(machine.hostname)
    if name != machine.hostname and machine.hostname.encode() in rendered.data:
        found = f"{machine.hostname}, and the computer is {name}"
        telling.remark_at("BOOT072", found, _line_of(text, "hostname"))
    return rendered.data


def _place_in_template(telling: Telling, rendered: str, text: str) -> None:
    """Give remarks about the rendered text their places in the template: the nearest same line."""
    made, written = rendered.split("\n"), text.split("\n")
    for number, remark in enumerate(telling.remarks):
        line = remark.place.line
        if not 0 < line <= len(made) or remark.trap in _OF_TEMPLATE:
            continue
        same = [n for n, found in enumerate(written, 1) if found == made[line - 1]]
        nearest = min(same, key=lambda n: abs(n - line - 1), default=min(line + 1, len(written)))
        telling.remarks[number] = replace(remark, place=Place(nearest, remark.place.column))


def _line_of(text: str, words: str) -> Place:
    at = text.find(words)
    return Place(text.count("\n", 0, at) + 1 if at >= 0 else 1, 1)


def _beginning(data: bytes) -> str:
    """What the data begins with, in words that say why nobody runs it."""
    text = data.decode(errors="replace")
    if text.startswith("\ufeff"):
        return "it begins with a byte order mark"
    stripped = text.lstrip()
    if not stripped:
        return "it is empty"
    if stripped != text and (script.interpreter_of(stripped.encode()) or stripped.startswith("#")):
        return "it begins with a blank line or spaces"
    return f"it begins with {stripped.splitlines()[0][:40]!r}"
