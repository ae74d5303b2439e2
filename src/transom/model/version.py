"""Versions and half-open ranges of them: how every fact says where it holds."""

import re
from functools import lru_cache, total_ordering
from typing import Final

_VERSION = re.compile(r"v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?")


@total_ordering
class Version:
    """A release such as 1.37.1 or 1.4.0-beta.2; a missing part counts as zero.

    Pre-releases sort before their release, by the rules of semantic versioning. Build metadata
    is dropped.
    """

    __slots__ = ("major", "minor", "patch", "pre")

    def __init__(self, major: int, minor: int = 0, patch: int = 0, pre: str = "") -> None:
        self.major: Final = major
        self.minor: Final = minor
        self.patch: Final = patch
        self.pre: Final = pre

    @staticmethod
    def parse(text: str) -> "Version":
        """Read a version, with or without a leading `v`; raise ValueError if it is none."""
        return _parse(text.strip())

    @property
    def minor_text(self) -> str:
        """The `1.37` of 1.37.1."""
        return f"{self.major}.{self.minor}"

    def _key(self) -> tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]]:
        parts = tuple(
            (not part.isdigit(), int(part) if part.isdigit() else 0, part)
            for part in self.pre.split(".")
            if part
        )
        return (self.major, self.minor, self.patch, not self.pre, parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Version) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash((self.major, self.minor, self.patch, self.pre))

    def __lt__(self, other: "Version") -> bool:
        return self._key() < other._key()

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}" + (f"-{self.pre}" if self.pre else "")

    def __repr__(self) -> str:
        return f"Version({self})"


@lru_cache(maxsize=4096)
def _parse(text: str) -> Version:
    match = _VERSION.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a version such as 1.37.1")
    major, minor, patch, pre = match.groups()
    return Version(int(major), int(minor or 0), int(patch or 0), pre or "")


class VersionRange:
    """A half-open range, written `>=1.36,<1.38`; either bound may be missing."""

    __slots__ = ("since", "until")

    def __init__(self, since: Version | None = None, until: Version | None = None) -> None:
        self.since: Final = since
        self.until: Final = until

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VersionRange) and self._bounds() == other._bounds()

    def __hash__(self) -> int:
        return hash(self._bounds())

    def _bounds(self) -> tuple[Version | None, Version | None]:
        return self.since, self.until

    @staticmethod
    def parse(text: str) -> "VersionRange":
        """Read a range; the empty text is the range of everything."""
        return _parse_range(text.replace(" ", ""))

    def __contains__(self, version: Version) -> bool:
        if self.since is not None and version < self.since:
            return False
        return self.until is None or version < self.until

    def overlaps(self, other: "VersionRange") -> bool:
        """Whether some version lies in both."""
        return _before(self.since, other.until) and _before(other.since, self.until)

    def __str__(self) -> str:
        bounds = []
        if self.since is not None:
            bounds.append(f">={self.since}")
        if self.until is not None:
            bounds.append(f"<{self.until}")
        return ",".join(bounds)

    def __repr__(self) -> str:
        return f"VersionRange({self})"


def _before(since: Version | None, until: Version | None) -> bool:
    return since is None or until is None or since < until


@lru_cache(maxsize=4096)
def _parse_range(text: str) -> VersionRange:
    since = until = None
    for bound in filter(None, text.split(",")):
        if bound.startswith(">=") and since is None:
            since = Version.parse(bound[2:])
        elif bound.startswith("<") and not bound.startswith("<=") and until is None:
            until = Version.parse(bound[1:])
        else:
            raise ValueError(f"{text!r} is not a range such as >=1.36,<1.38")
    if since is not None and until is not None and not since < until:
        raise ValueError(f"the range {text!r} is empty")
    return VersionRange(since, until)
