"""A cloud-config as text: long texts as blocks, and nothing in quotes that a template could not stand."""

import re
from typing import Any

import yaml

_BRACES = re.compile(r"\{[{%#]")
_NOT_IN_A_BLOCK = re.compile(r"[ \t]\n|[ \t]$|[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd]|^\s*\n")
_WIDE = 1 << 20


class _Dumper(yaml.SafeDumper):
    """Lists indented below their keys, as people write them."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:  # noqa: ARG002, FBT001, FBT002 - PyYAML's signature
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:  # noqa: ARG002 - PyYAML's signature
        return True


def _text(dumper: _Dumper, value: str) -> yaml.Node:
    style = None
    if "\n" in value and not _NOT_IN_A_BLOCK.search(value):
        style = "|"
    elif _BRACES.search(value):
        style = "'"
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=style)


_Dumper.add_representer(str, _text)


def written(sections: dict[str, Any]) -> str:
    """The sections as YAML that reads back to the same values."""
    return yaml.dump(sections, Dumper=_Dumper, sort_keys=False, allow_unicode=True, width=_WIDE)
