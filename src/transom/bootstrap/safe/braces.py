"""Braces in a template that are not meant for it: written so that rendering gives them back.

Cluster API makes every document a template and escapes nothing, so that a file with braces of its
own, such as a Go template, ends everything.
"""

import re
from typing import Any

from transom.bootstrap import template
from transom.bootstrap.machine import Machine
from transom.bootstrap.safe.change import Changes

_OPENING = re.compile(r"\{[{%#]")
# What cloudbase-init offers to templates: kept as it is, even where this platform lacks it.
_MEANT = re.compile(
    r"\{\{-?\s*(ds|v1|instance[_-]id|local[_-]hostname|public_ssh_keys)\b[^{}]*\}\}"
)


def escaped(value: Any, machine: Machine, changes: Changes, name: str) -> Any:
    """A value of the document with every text in it safe to render."""
    if isinstance(value, str):
        return _text(value, machine, changes, name)
    if isinstance(value, list):
        return [escaped(item, machine, changes, name) for item in value]
    if isinstance(value, dict):
        where = str(value.get("path", value.get("name", name)))
        return {key: escaped(item, machine, changes, where) for key, item in value.items()}
    return value


def _text(text: str, machine: Machine, changes: Changes, name: str) -> str:
    if not _OPENING.search(text) or _renders(text, machine):
        return _MEANT.sub(_quoted, text)
    pieces, at = [], 0
    while found := _OPENING.search(text, at):
        pieces.append(text[at : found.start()])
        meant = _MEANT.match(text, found.start())
        if meant:
            pieces.append(_quoted(meant))
        else:
            pieces.append(_raw(found.group(0), text[found.end() : found.end() + 1]))
        at = (meant or found).end()
    made = "".join([*pieces, text[at:]])
    if made != _MEANT.sub(_quoted, text):
        changes.note("BOOT015", f"braces in {name} that mean nothing to Jinja are escaped")
    return made


def _renders(text: str, machine: Machine) -> bool:
    try:
        return not template.render(b"\n" + text.encode(), machine.instance_data()).missing
    except (template.NotRendered, UnicodeEncodeError):
        return False


def _raw(opening: str, following: str) -> str:
    """Braces that render as themselves.

    A line that ends in a block tag would lose its end, but for an expression that gives nothing; one
    without quotes, which YAML might have to escape.
    """
    end = "{{()|join}}" if following in ("", "\n") else ""
    return f"{{% raw %}}{opening}{{% endraw %}}{end}"


def _quoted(found: re.Match[str]) -> str:
    """The expression with double quotes, which stand in single-quoted YAML as they are."""
    return found.group(0).replace("'", '"')
