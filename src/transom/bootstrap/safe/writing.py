"""A cloud-config as text: long texts as blocks, and nothing in quotes that a template could not stand."""

import re
from typing import Any

from transom.yamlio.writing import write

_BRACES = re.compile(r"\{[{%#]")
_NOT_IN_A_BLOCK = re.compile(r"[ \t]\n|[ \t]$|[^\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd]|^\s*\n")
_WIDE = 1 << 20


def _style(text: str) -> str | None:
    if "\n" in text and not _NOT_IN_A_BLOCK.search(text):
        return "|"
    return "'" if _BRACES.search(text) else None


def written(sections: dict[str, Any]) -> str:
    """The sections as YAML that reads back to the same values; lists stand indented below their keys."""
    return write(sections, style=_style, indented_lists=True, width=_WIDE)
