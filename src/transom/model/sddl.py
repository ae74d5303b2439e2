"""Security descriptors in SDDL: read the access list and say who may do what.

Covers what Transom writes and meets on hosts: allow and deny entries with file rights. Pure; knows no Windows.
"""

import re

from transom.model.records import dataclass

# File access bits, from winnt.h.
READ = 0x0012_0089
WRITE = 0x0012_0116
EXECUTE = 0x0012_00A0
FULL = 0x001F_01FF
DELETE, DELETE_CHILD = 0x0001_0000, 0x0000_0040
WRITE_DAC, WRITE_OWNER = 0x0004_0000, 0x0008_0000
# What WRITE has beyond what READ has too: data, appending, attributes and extended ones.
WRITE_ONLY = 0x0000_0116
_GENERIC = {"GA": FULL, "GR": READ, "GW": WRITE, "GX": EXECUTE}
# Windows spells single bits by their names in directory services ("ACE Strings" of Microsoft's reference):
# LC is the right to make folders in a folder.
_BITS = ("CC", "DC", "LC", "SW", "RP", "WP", "DT", "LO", "CR")
_STANDARD = {"SD": DELETE, "RC": 0x0002_0000, "WD": WRITE_DAC, "WO": WRITE_OWNER}
_RIGHTS = {
    **{name: 1 << bit for bit, name in enumerate(_BITS)},
    **_STANDARD,
    **_GENERIC,
    "FA": FULL,
    "FR": READ,
    "FW": WRITE,
    "FX": EXECUTE,
}

# SYSTEM and administrators alone. As a recipe wants it and Windows tells it, with the owner:
CLOSED_FILE = "O:BAG:SYD:PAI(A;;FA;;;SY)(A;;FA;;;BA)"
CLOSED_FOLDER = "O:BAG:SYD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"
# as it is set where the owner stays,
ADMINISTRATORS_ONLY = "D:P(A;;FA;;;SY)(A;;FA;;;BA)"
ADMINISTRATORS_ONLY_BELOW = "D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)"
# and as icacls.exe is told.
ICACLS_CLOSED_FILE = "/inheritance:r /grant:r *S-1-5-18:F *S-1-5-32-544:F"
ICACLS_CLOSED_FOLDER = "/inheritance:r /grant:r *S-1-5-18:(OI)(CI)F *S-1-5-32-544:(OI)(CI)F"

# Who is meant by the two-letter names, and which groups a caller of that name is also in.
EVERYONE, USERS, AUTHENTICATED = "WD", "BU", "AU"
SYSTEM, ADMINISTRATORS = "SY", "BA"
# The long one is TrustedInstaller, the same on every Windows.
TRUSTED_OWNERS = frozenset(
    (SYSTEM, ADMINISTRATORS, "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464")
)
_GROUPS_OF = {
    SYSTEM: {SYSTEM, ADMINISTRATORS, AUTHENTICATED, EVERYONE},
    ADMINISTRATORS: {ADMINISTRATORS, AUTHENTICATED, USERS, EVERYONE},
    USERS: {USERS, AUTHENTICATED, EVERYONE},
    AUTHENTICATED: {AUTHENTICATED, EVERYONE},
    EVERYONE: {EVERYONE},
}

_OWNER = re.compile(r"O:(S-1-[0-9-]+|[A-Z]{2})(?=[GDS]:|$)")
_DACL = re.compile(r"D:(?P<flags>[A-Z]*)(?P<entries>(?:\([^()]*\))*)")
_EVERYTHING = "NO_ACCESS_CONTROL"  # no list at all: everybody may do everything
_ENTRY = re.compile(r"\(([^()]*)\)")
_ENTRY_FIELDS = 6


@dataclass(frozen=True, slots=True)
class Entry:
    """One access control entry; `inherit` is true where children get it too."""

    allow: bool
    inherit: bool
    inherit_only: bool
    mask: int
    who: str


@dataclass(frozen=True, slots=True)
class AccessList:
    """A discretionary access list; `protected` keeps entries of the parent out."""

    protected: bool
    entries: tuple[Entry, ...]

    def allows(self, who: str, mask: int) -> bool:
        """Whether a caller gets all bits of `mask`: entries in order, the first word counts."""
        groups = _GROUPS_OF.get(who, {who, EVERYONE})
        missing = mask
        for entry in self.entries:
            if entry.inherit_only or entry.who not in groups:
                continue
            if not entry.allow and entry.mask & missing:
                return False
            if entry.allow:
                missing &= ~entry.mask
            if not missing:
                return True
        return False

    def child(self) -> "AccessList":
        """What a new file or directory below gets when nobody says otherwise."""
        inherited = tuple(
            Entry(allow=e.allow, inherit=True, inherit_only=False, mask=e.mask, who=e.who)
            for e in self.entries
            if e.inherit
        )
        return AccessList(protected=False, entries=inherited)


def parse(text: str) -> AccessList:
    """Read the access list of a descriptor; raise ValueError if it has none or is malformed."""
    match = _DACL.search(text)
    if match is None or _EVERYTHING in text:
        raise ValueError(f"no access list in {text!r}")
    if text[match.end() :] and not text.startswith("S:", match.end()):
        raise ValueError(f"cannot read all of {text!r}")  # such as an entry with a condition
    entries = tuple(_entry(body) for body in _ENTRY.findall(match["entries"]))
    return AccessList(protected="P" in match["flags"].replace("AI", ""), entries=entries)


def owner_of(text: str) -> str:
    """Who owns what a descriptor describes, as SDDL names them; empty where it does not say."""
    found = _OWNER.match(text)
    return found[1] if found else ""


def _entry(body: str) -> Entry:
    fields = body.split(";")
    if len(fields) != _ENTRY_FIELDS or fields[0] not in ("A", "D"):
        raise ValueError(f"({body}) is not an access entry")
    kind, flags, rights, _, _, who = fields
    return Entry(
        allow=kind == "A",
        inherit="OI" in flags or "CI" in flags,
        inherit_only="IO" in flags,
        mask=_mask(rights),
        who=who,
    )


def _mask(rights: str) -> int:
    if rights.lower().startswith("0x"):
        return int(rights, 16)
    pairs = [rights[start : start + 2] for start in range(0, len(rights), 2)]
    unknown = [pair for pair in pairs if pair not in _RIGHTS]
    if unknown:
        raise ValueError(f"unknown rights {rights!r}")
    mask = 0
    for pair in pairs:
        mask |= _RIGHTS[pair]
    return mask
