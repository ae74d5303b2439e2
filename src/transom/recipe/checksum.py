"""Published checksums as upstreams write them: a bare sum, `sum  name`, or a list of those.

Pure text in, one SHA-256 out. Called when an artifact is pinned; fetches nothing.
"""

import re

_HEX = re.compile(r"[0-9a-f]+")
_LINE = re.compile(r"(?P<sum>[0-9A-Fa-f]{32,})(?:\s+\*?(?P<name>\S.*))?")
_SHA256_DIGITS = 64
_OTHER_SUMS = {32: "an MD5", 40: "a SHA-1", 56: "a SHA-224", 96: "a SHA-384", 128: "a SHA-512"}


def is_sha256(text: str) -> bool:
    """Whether the text is a SHA-256 as we write it: 64 lower-case hexadecimal digits."""
    return len(text) == _SHA256_DIGITS and _HEX.fullmatch(text) is not None


def parse_checksum(text: str, name: str) -> str:
    """The SHA-256 that a published text gives for the file of that name.

    Raises:
        ValueError: The text names no such file, two sums for it, or sums of another kind.
    """
    lines = [line.strip() for line in text.removeprefix("\ufeff").splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    sums = {found for line in lines if (found := _sum_for(line, name, alone=len(lines) == 1))}
    if not sums:
        raise ValueError(f"it has no sum for {name}")
    if len(sums) > 1:
        raise ValueError(f"it has {len(sums)} different sums for {name}")
    (found,) = sums
    if not is_sha256(found):
        kind = _OTHER_SUMS.get(len(found), f"a sum of {len(found)} digits")
        raise ValueError(f"it has {kind} for {name}, not a SHA-256")
    return found


def _sum_for(line: str, name: str, *, alone: bool) -> str:
    match = _LINE.fullmatch(line)
    if match is None:
        return ""
    listed = match["name"]
    if listed is None:
        # A sum without a name can only mean the one file the text was published for.
        return match["sum"].lower() if alone else ""
    return match["sum"].lower() if re.split(r"[/\\]", listed)[-1] == name else ""
