"""Jinja as cloudbase-init renders it, without the freedom it gives: no template may reach Python.

Used for boot data whose first line says `## template: jinja`. Jinja2 is loaded only then.
"""

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from jinja2.sandbox import SandboxedEnvironment

# cloudbase-init matches this at the very beginning, and drops the first line afterwards.
_HEADER = re.compile(r"##\s*template:(.*)", re.IGNORECASE)
MISSING = "CI_MISSING_JINJA_VAR/"


class Rendered(NamedTuple):
    """The text after rendering, and the variables it asked for that are not there."""

    data: bytes
    missing: tuple[str, ...]


class NotRendered(Exception):  # noqa: N818 - what the template is
    """Jinja raises: a wrong template, or a value that cannot be looked into."""

    def __init__(self, reason: str, line: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


class ReachesPython(NotRendered):
    """A template that uses Python itself, which no story can follow."""


def is_template(data: bytes) -> bool:
    """Whether cloudbase-init would render it."""
    try:
        found = _HEADER.match(data.decode())
    except UnicodeDecodeError:
        return False
    return found is not None and found.group(1).lower().strip() == "jinja"


def render(data: bytes, variables: dict[str, Any]) -> Rendered:
    """Render a template without its first line; raise NotRendered where Jinja would."""
    from jinja2 import TemplateSyntaxError
    from jinja2.exceptions import SecurityError

    missing: list[str] = []
    _, _, text = data.partition(b"\n")
    try:
        template = _environment(missing).from_string(text.decode())
        rendered = template.render(**variables).encode()
    except TemplateSyntaxError as error:
        raise NotRendered(error.message or "a mistake in the template", error.lineno + 1) from error
    except SecurityError as error:
        raise ReachesPython(str(error), 1) from error
    except Exception as error:  # a template may divide by zero or do worse
        raise NotRendered(f"{type(error).__name__}: {error}", 1) from error
    return Rendered(rendered, tuple(dict.fromkeys(missing)))


def _environment(missing: list[str]) -> "SandboxedEnvironment":
    from jinja2 import DebugUndefined
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    class Missing(DebugUndefined):
        __slots__ = ()

        def __str__(self) -> str:
            missing.append(str(self._undefined_name))
            return f"{MISSING}{self._undefined_name}"

    return ImmutableSandboxedEnvironment(trim_blocks=True, undefined=Missing)
