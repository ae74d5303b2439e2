"""Values as YAML text. Everything that writes YAML goes through here; reading is in `loader`."""

from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import yaml

Style = Callable[[str], str | None]
"""How a text is written: `|` as a block, `'` in quotes, None as PyYAML chooses."""

_STR = "tag:yaml.org,2002:str"


def as_blocks(text: str) -> str | None:
    """Text of several lines stays so, as people write it."""
    return "|" if "\n" in text else None


def write(
    value: Any,
    *,
    style: Style | None = None,
    indented_lists: bool = False,
    width: int = 1000,
) -> str:
    """One document, its keys in the order they have; what occurs twice is written twice."""
    dumper = _dumper(style, indented_lists=indented_lists)
    return yaml.dump(value, Dumper=dumper, sort_keys=False, allow_unicode=True, width=width)


def write_all(values: Iterable[Any]) -> str:
    """A stream of documents."""
    return yaml.dump_all(values, Dumper=_dumper(None, indented_lists=False), sort_keys=False)


@cache
def _dumper(style: Style | None, *, indented_lists: bool) -> type[yaml.SafeDumper]:
    class Dumper(yaml.SafeDumper):
        def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: FBT001, FBT002 - PyYAML's signature
            super().increase_indent(flow, indentless and not indented_lists)

        def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML's signature
            return True

    def text(dumper: yaml.SafeDumper, value: str) -> yaml.ScalarNode:
        return dumper.represent_scalar(_STR, value, style=style(value) if style else None)

    Dumper.add_representer(str, text)
    return Dumper
