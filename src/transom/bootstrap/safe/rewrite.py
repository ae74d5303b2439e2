"""A cloud-config of somebody else, such as Cluster API's, rewritten into one that does the same safely.

Pure. What cannot be mended without knowing more is left as it is; the linter names it afterwards.
"""

from dataclasses import field
from typing import Any

from transom.bootstrap.machine import Machine
from transom.bootstrap.safe.beginning import beginning, header
from transom.bootstrap.safe.braces import escaped
from transom.bootstrap.safe.change import Change, Changes
from transom.bootstrap.safe.commands import safe_commands
from transom.bootstrap.safe.files import safe_files
from transom.bootstrap.safe.users import safe_users
from transom.bootstrap.safe.writing import written
from transom.errors import UsageError
from transom.facts.cloudbaseinit import Section
from transom.facts.names import cloudbase_name
from transom.facts.rows import read
from transom.model.records import dataclass
from transom.yamlio.python_yaml import Reading, Unreadable


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewritten:
    """The new document; the old one written the same way, to compare them; and what changed why."""

    data: bytes = field(repr=False)
    before: str = field(repr=False)
    changes: tuple[Change, ...]


def rewrite(data: bytes, machine: Machine) -> Rewritten:
    """Rewrite a cloud-config; raise UsageError for what is none."""
    changes = Changes()
    text, is_template = beginning(data, changes)
    sections, reading = _sections(text)
    before = header(is_template=is_template) + written(sections)
    for name, _place in reading.repeated():
        changes.note("BOOT013", f"{name} is there once, the last of them")
    sections = _known(sections, changes)
    sections = _safe(sections, changes)
    if is_template:
        sections = {
            name: escaped(value, machine, changes, name) for name, value in sections.items()
        }
    after = header(is_template=is_template) + written(sections)
    made = tuple(dict.fromkeys(changes.made))
    return Rewritten(data=after.encode(), before=before, changes=made)


def _sections(text: str) -> tuple[dict[str, Any], Reading]:
    try:
        reading = Reading(text.encode())
    except Unreadable as error:
        line = f" in line {error.place.line}" if error.place.line else ""
        raise UsageError(
            f"it is no YAML{line}: {error.reason}",
            subject="the boot data",
            hint="see `transom userdata lint`",
        ) from error
    found = reading.value
    if (
        reading.python_tags
        or not isinstance(found, dict)
        or not all(isinstance(name, str) for name in found)
    ):
        what = "it has tags that execute Python" if reading.python_tags else "it has no sections"
        raise UsageError(what, subject="the boot data", hint="see `transom userdata lint`")
    return found, reading


def _known(sections: dict[str, Any], changes: Changes) -> dict[str, Any]:
    known = {row.name: row for row in read(Section) if row.order}
    hints = {row.name: row.instead for row in read(Section)}
    for name in sections:
        if name not in known:
            hint = f"; {hints[name]}" if hints.get(name) else ""
            changes.note("BOOT012", f"{name} is left out, which never ran{hint}")
    return {name: value for name, value in sections.items() if name in known}


def _safe(sections: dict[str, Any], changes: Changes) -> dict[str, Any]:
    found = dict(sections)
    secrets: list[str] = []
    if "write_files" in found:
        found["write_files"], secrets = safe_files(found["write_files"], changes)
    if "users" in found:
        found["users"] = safe_users(found["users"], changes)
    wanted = next((found[key] for key in ("hostname", "set_hostname") if found.get(key)), "")
    commands = safe_commands(
        found.get("runcmd"),
        changes,
        secrets=secrets,
        hostname=cloudbase_name(wanted) if isinstance(wanted, str) else "",
    )
    if commands is not None:
        found["runcmd"] = commands
    return found
