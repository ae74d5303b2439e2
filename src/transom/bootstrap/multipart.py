"""Multi-part MIME: each part by its content type; a part that fails is passed over."""

import email
import ntpath
from email.message import Message
from typing import NamedTuple

from transom.bootstrap import cloud_config, script
from transom.bootstrap.machine import Machine
from transom.bootstrap.story import Stop, Telling
from transom.facts.cloudbaseinit import PartType
from transom.facts.rows import read
from transom.yamlio.python_yaml import Place

_MARK = "Content-Type: multipart"
_HEAT = r"C:\cfn"
_HEAT_SCRIPT = "cfn-userdata"
_REBOOTS = (1001, 1003)
_ASCII = 128


class _File(NamedTuple):
    """A part that is written to a file first, so that it needs a name."""

    name: str
    data: bytes
    place: Place


def is_multipart(text: str) -> bool:
    """Whether cloudbase-init takes it for MIME: the words, before the first blank line."""
    return _MARK in text.split("\n\n", maxsplit=1)[0]


def follow(text: str, telling: Telling, machine: Machine) -> int:
    """Tell what the parts do; answer the exit code that decides about a restart."""
    answer = 0
    for part in email.message_from_string(text).walk():
        answer = _part(part, text, telling, machine)
        if answer in _REBOOTS:
            break
    return answer


def _part(part: Message, text: str, telling: Telling, machine: Machine) -> int:
    kind = part.get_content_type()
    place = _place(part, text)
    row = next((row for row in read(PartType) if row.type == kind), None)
    if row is None or row.handling == "ignored":
        if not part.is_multipart():
            telling.remark_at("BOOT060", kind if row is None else f"{kind}: {row.text}", place)
        return 0
    if row.handling == "container":
        return 0
    payload = part.get_payload(decode=True)
    data = payload if isinstance(payload, bytes) else b""
    if _is_damaged(part):
        telling.remark_at("BOOT062", kind, place)
    if row.handling == "cloud-config":
        return _cloud_config(data, text, place, telling, machine)
    name = part.get_filename()
    if name is None:
        telling.remark_at("BOOT061", kind, place)
        return 0
    return _file(row.handling, _File(name, data, place), telling, machine)


def _file(handling: str, file: _File, telling: Telling, machine: Machine) -> int:
    if handling == "part-handler":
        telling.remark_at("BOOT063", file.name, file.place)
        telling.ran("python", file.name)
        return 0
    if handling == "heat":
        telling.wrote(ntpath.join(_HEAT, file.name), file.data, mode=None)
        return _run(file, telling, machine) if file.name == _HEAT_SCRIPT else 0
    interpreter = script.interpreter_of_name(file.name)
    if not interpreter:
        return _run(file, telling, machine)
    telling.ran(interpreter, file.name)
    return machine.exit_code(file.name)


def _cloud_config(data: bytes, text: str, place: Place, telling: Telling, machine: Machine) -> int:
    if b"{{" in data or b"{%" in data:
        telling.remark_at("BOOT005", "a template in a part", place)
    before = text.find(data.decode(errors="replace").strip()) if data.strip() else -1
    first_line = text.count("\n", 0, before) if before >= 0 else max(place.line - 1, 0)
    try:
        return cloud_config.follow(data, telling, machine, first_line=first_line)
    except Stop:
        return 0


def _run(file: _File, telling: Telling, machine: Machine) -> int:
    answer = script.run_text(file.data, telling, machine)
    if answer is None:
        telling.remark_at("BOOT064", file.name, file.place)
        return 0
    return answer


def _is_damaged(part: Message) -> bool:
    """Whether the text has letters that Python's parser cannot give back as they were."""
    encoded = str(part.get("Content-Transfer-Encoding", "")).lower()
    payload = part.get_payload()
    return (
        encoded not in ("base64", "quoted-printable")
        and isinstance(payload, str)
        and any(ord(letter) >= _ASCII for letter in payload)
    )


def _place(part: Message, text: str) -> Place:
    """The line with the part's content type, or the first."""
    header = str(part.get("Content-Type", ""))
    at = text.find(header) if header else -1
    return Place(text.count("\n", 0, at) + 1 if at >= 0 else 1, 1)
