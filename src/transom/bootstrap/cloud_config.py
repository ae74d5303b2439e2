"""A cloud-config: which sections cloudbase-init executes, in its own order and not the document's."""

from typing import Any

from transom.bootstrap.commands import JOIN, WAITS_FOR_NAME, closes
from transom.bootstrap.machine import Machine
from transom.bootstrap.sections import FOLLOW
from transom.bootstrap.story import Path, Remark, Skip, Stop, Telling
from transom.facts.cloudbaseinit import Section
from transom.facts.rows import read
from transom.yamlio.python_yaml import BadValue, Place, Reading, Unreadable

_ANSWER_OF_A_RESTART = 1003


def follow(data: bytes, telling: Telling, machine: Machine, *, first_line: int = 0) -> int:
    """Tell what a cloud-config does; answer what cloudbase-init takes for its exit code.

    `first_line` is how many lines of the document come before `data`.
    """
    reading = _read(data, telling, first_line)
    if reading is None:
        return 0
    before = len(telling.remarks)
    try:
        return _execute(reading, telling, machine)
    finally:
        telling.remarks[before:] = [
            _placed(remark, reading, first_line) for remark in telling.remarks[before:]
        ]


def _read(data: bytes, telling: Telling, first_line: int) -> Reading | None:
    """The document, or None where cloudbase-init notes that it cannot use it and goes on."""
    try:
        reading = Reading(data)
    except BadValue as error:
        telling.remark_at("BOOT011", error.reason, _moved(error.place, first_line))
        return None
    except Unreadable as error:
        telling.remark_at("BOOT002", error.reason, _moved(error.place, first_line))
        raise Stop from error
    if reading.python_tags:
        for found in reading.python_tags:
            telling.remark_at("BOOT009", f"!!{found.tag}", _moved(found.place, first_line))
        raise Stop
    if not reading.value:
        telling.remark_at("BOOT011", "there is nothing in it", Place(first_line + 1, 1))
        return None
    return reading


def _execute(reading: Reading, telling: Telling, machine: Machine) -> int:
    config = reading.value
    if not isinstance(config, dict):
        telling.remark("BOOT010", "it is no mapping")
        raise Stop
    strange = next((key for key in config if not isinstance(key, str) or key == "self"), None)
    if strange is not None:
        telling.remark("BOOT010", f"it has a key {strange!r}")
        raise Stop
    for name, place in reading.repeated():
        telling.remark_at("BOOT013", name, place)
    known = {row.name: row.order for row in read(Section) if row.order}
    told = {row.name: row.instead for row in read(Section)}
    for name in (name for name in config if name not in known):
        hint = f"; {told[name]}" if told.get(name) else ""
        telling.remark("BOOT012", f"{name}{hint}", (name,))
    answer = 0
    for name in sorted((name for name in config if name in known), key=known.__getitem__):
        try:
            if FOLLOW[name](config[name], telling, machine, name):
                answer = _ANSWER_OF_A_RESTART
        except Skip:
            continue
    _look_for_late_names(config, telling)
    _forget_closed_files(telling)
    return answer


def _look_for_late_names(config: dict[str, Any], telling: Telling) -> None:
    """Note a join that happens while the computer still waits for its new name."""
    renamed = any(act.action == "hostname" for act in telling.acts)
    scripts = [act.detail["script"] for act in telling.acts if act.action == "run"]
    if renamed and any(JOIN.search(text) and not WAITS_FOR_NAME.search(text) for text in scripts):
        name = "hostname" if "hostname" in config else "set_hostname"
        telling.remark("BOOT043", str(config.get(name)), (name,))


def _forget_closed_files(telling: Telling) -> None:
    """Take back what was noted of secrets whose files the commands close to others."""
    lines = [
        line
        for act in telling.acts
        if act.action == "run"
        for line in act.detail["script"].splitlines()
    ]
    telling.remarks[:] = [
        remark
        for remark in telling.remarks
        if remark.trap != "BOOT022" or not any(closes(line, remark.found) for line in lines)
    ]


def _placed(remark: Remark, reading: Reading, first_line: int) -> Remark:
    place = remark.place if remark.place.line else reading.locate(remark.path)
    return Remark(remark.trap, remark.found, remark.path, _moved(place, first_line))


def _moved(place: Place, lines: int) -> Place:
    return Place(place.line + lines, place.column) if place.line else place


def dotted(path: Path) -> str:
    """A path as people write it."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else str(step)
    return text
