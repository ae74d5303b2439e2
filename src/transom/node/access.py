"""Access to files as SDDL text: whether what Windows reports is what the recipe wants.

Windows spells a descriptor in its own way when it is read back: owner and group in front, rights
as names or numbers, inherited entries after the others. Comparing texts would find drift for ever.
"""

import re
from dataclasses import dataclass

_RIGHTS = {"FA": 0x1F01FF, "FR": 0x120089, "FW": 0x120116, "FX": 0x1200A0, "GA": 0x1F01FF}
_SIDS = {
    "AU": "S-1-5-11",
    "BA": "S-1-5-32-544",
    "BU": "S-1-5-32-545",
    "CO": "S-1-3-0",
    "SY": "S-1-5-18",
    "WD": "S-1-1-0",
}
_DACL = re.compile(r"D:([A-Z]*)((?:\([^)]*\))*)")
_ENTRY = re.compile(r"\(([^;]*);([^;]*);([^;]*);([^;]*);([^;]*);([^;)]*)\)")
_FLAG = re.compile(r"[A-Z]{2}")


@dataclass(frozen=True, slots=True)
class Access:
    """The discretionary list of a descriptor: whether it inherits, and its own entries."""

    protected: bool
    entries: frozenset[tuple[str, frozenset[str], str, str]]


def same_access(found: str, wanted: str) -> bool:
    """Whether two descriptors give the same access; inherited entries count as none."""
    return parse_access(found) == parse_access(wanted)


def parse_access(sddl: str) -> Access:
    """Read the discretionary list out of SDDL."""
    match = _DACL.search(sddl)
    if match is None:
        return Access(protected=False, entries=frozenset())
    entries = set()
    for kind, flags, rights, _, _, sid in _ENTRY.findall(match[2]):
        marks = frozenset(_FLAG.findall(flags))
        if "ID" not in marks:
            entries.add((kind, marks, _rights(rights), _SIDS.get(sid, sid)))
    return Access(protected="P" in match[1], entries=frozenset(entries))


def _rights(text: str) -> str:
    if text.lower().startswith("0x"):
        return hex(int(text, 16))
    return hex(_RIGHTS[text]) if text in _RIGHTS else text
