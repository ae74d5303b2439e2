"""The upstream programs: which exist, how each is built and where its publisher keeps it. Pure data.

Read by `binaries`; the rows are in programs.toml.
"""

import hashlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

from transom.errors import UsageError


class Goos(StrEnum):
    """The operating system a program is for, as Go names it."""

    LINUX = "linux"
    WINDOWS = "windows"


@dataclass(frozen=True)
class Program:
    """One upstream program in one version for one operating system."""

    name: str
    suite: str
    version: str
    goos: Goos
    package: str
    stamp: tuple[str, ...]
    release: str | None

    @property
    def file_name(self) -> str:
        """The name its publisher gives it."""
        return f"{self.name}.exe" if self.goos is Goos.WINDOWS else self.name

    @property
    def ldflags(self) -> str:
        """The linker flags: stripped, and stamped with the version."""
        return " ".join(["-s", "-w", *(f"-X {pair}" for pair in self.stamp)])

    @property
    def key(self) -> str:
        """The cache key: version and everything that decides the bytes of a build."""
        digest = hashlib.sha256(f"{self.package}\n{self.ldflags}".encode()).hexdigest()[:8]
        return f"{self.name}-{self.version}-{self.goos}-amd64-{digest}"


def default_version(suite: str) -> str:
    """The version of a suite used when none is named."""
    versions: list[str] = _rows()[suite]["versions"]
    return versions[0]


def pinned_versions(suite: str) -> tuple[str, ...]:
    """The versions whose module files are committed."""
    return tuple(_rows()[suite]["versions"])


def program(name: str, goos: Goos, version: str | None = None) -> Program:
    """Describe one program; `version` defaults to its suite's."""
    suite, row = _suite_of(name)
    chosen = version or default_version(suite)
    blanks = {
        "version": chosen,
        "minor": _minor(chosen),
        "goos": str(goos),
        "program": name,
        "exe": ".exe" if goos is Goos.WINDOWS else "",
        "place": row.get("places", {}).get(name, ""),
    }
    release = row.get("release")
    return Program(
        name=name,
        suite=suite,
        version=chosen,
        goos=goos,
        package=row.get("packages", {}).get(name, row["package"]).format_map(blanks),
        stamp=tuple(pair.format_map(blanks) for pair in row["stamp"]),
        release=release.format_map(blanks) if release else None,
    )


def _minor(version: str) -> str:
    parts = version.split(".")
    if len(parts) != 3 or not all(part.isdigit() for part in parts):  # noqa: PLR2004 - X.Y.Z
        raise UsageError(
            f"cannot use version {version!r}: it must be X.Y.Z, for example 1.37.1",
            subject=version,
        )
    return parts[1]


def _suite_of(name: str) -> tuple[str, Mapping[str, Any]]:
    for suite, row in _rows().items():
        if name in row["programs"]:
            return suite, row
    raise UsageError(f"the lab knows no program called {name!r}", subject=name)


@cache
def _rows() -> Mapping[str, Mapping[str, Any]]:
    return tomllib.loads((files("transom_lab") / "programs.toml").read_text(encoding="utf-8"))
