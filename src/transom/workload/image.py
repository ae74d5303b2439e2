"""Image names: their parts, the system and the Windows build that they give away.

Never asks a registry.
"""

import re
from functools import cache, lru_cache
from typing import NamedTuple

from transom.facts.images import ImageName, Lacking, LeastMemory, LimitAware, Mirror
from transom.facts.rows import At, read
from transom.facts.windows import ImageMatch, Release
from transom.model.version import Version
from transom.workload.context import OperatingSystem

_WORD = re.compile(r"[A-Za-z0-9]+")
# From Windows Server 2022 on, kernels keep the interface that older images use.
_FIRST_STABLE_BUILD = 20348
# What begins a tag of .NET images, such as 4.7.2-windowsservercore-ltsc2019.
_RELEASE = re.compile(r"\d+\.\d+(?:\.\d+)?(?![\d.])")
_BASE = "windows-base"
# Where Docker Hub's official images lie, in every mirror of it.
_OFFICIAL = "/library/"
_NANO_SERVER = "lacking-nano-server"
_FULL_BUILD = re.compile(r"10\.0\.(\d{5})")


class Image(NamedTuple):
    """An image's name in its parts, and what they tell; None where they tell nothing."""

    repository: str
    tag: str
    digest: str
    os: OperatingSystem | None
    release: Release | None
    is_base: bool


@lru_cache(maxsize=4096)
def read_image(name: str) -> Image:
    """Take a name apart."""
    rest, _, digest = name.strip().partition("@")
    slash = rest.rfind("/")
    colon = rest.rfind(":")
    repository, tag = (rest[:colon], rest[colon + 1 :]) if colon > slash else (rest, "")
    official = without_mirror(repository.lower())
    row = _name_row(official, tag.lower())
    release = release_of_tag(tag)
    system = OperatingSystem(row.os) if row is not None and row.os else None
    return Image(
        repository=repository,
        tag=tag,
        digest=digest,
        os=system,
        release=release if system is OperatingSystem.WINDOWS else None,
        is_base=official in _bases(),
    )


def without_mirror(repository: str) -> str:
    """A repository as Docker Hub has it, without the registry or the mirror it is pulled from."""
    for prefix in _mirrors():
        if repository.startswith(prefix):
            return repository.removeprefix(prefix)
    _before, mark, name = repository.rpartition(_OFFICIAL)
    return name if mark and "/" not in name else repository


def lacks(image: Image, program: str) -> Lacking | None:
    """The kind of image that does not have a program, where the image is known to be of it."""
    repository = without_mirror(image.repository.lower())
    words = set(_WORD.findall(image.tag.lower()))
    for row in read(Lacking):
        is_nano = "nanoserver" in words and row.id == _NANO_SERVER
        # The SDK and PowerShell images bring PowerShell 7 along, on Nano Server too.
        brings_own = program == "pwsh" and repository.endswith(("/sdk", "/powershell"))
        is_of_it = is_nano or _is_below(repository, row.repositories)
        if is_of_it and program in row.programs and not brings_own:
            return row
    return None


def release_of_tag(tag: str) -> Release | None:
    """The Windows release that a tag names, by `ltsc2022`, `1809` or `10.0.20348.1`."""
    full = _FULL_BUILD.search(tag)
    if full is not None:
        return next((row for row in read(Release) if row.build == int(full[1])), None)
    words = {
        word.lower().replace("win", "ltsc") if word.lower().startswith("win2") else word.lower()
        for word in _WORD.findall(tag)
    }
    # The last one: of 4.8-windowsservercore-ltsc2022 no other part is a release.
    return next((row for row in reversed(read(Release)) if words & _tags(row)), None)


def least_memory(image: Image) -> LeastMemory | None:
    """What a container of that image needs at least, where its name tells."""
    words = {word.lower() for word in _WORD.findall(f"{image.repository}:{image.tag}")}
    return next((row for row in read(LeastMemory) if words.intersection(row.words)), None)


def unaware_of_limits(image: Image) -> LimitAware | None:
    """The runtime of an image that is known not to see memory limits."""
    release = _RELEASE.match(image.tag)
    if release is None:
        return None
    rows = (
        row for row in read(LimitAware) if _is_below(image.repository.lower(), row.repositories)
    )
    row = next(rows, None)
    is_old = row is not None and Version.parse(release[0]) < Version.parse(row.since)
    return row if is_old else None


def runs_on(image_build: int, node_build: int, containerd: Version | None) -> bool:
    """Whether a node runs images of a build with process isolation, by its containerd.

    Where the containerd is not known, the newest one's rule counts.
    """
    known = read(ImageMatch)
    rule = next(
        (row.rule for row in known if containerd and row.holds(At(containerd=containerd))), ""
    )
    rule = rule or known[-1].rule
    if image_build == node_build:
        return True
    if rule == "since-20348":
        return _FIRST_STABLE_BUILD <= image_build <= node_build
    if rule == "previous-ltsc":
        return _previous_ltsc(node_build) <= image_build <= node_build
    return False


def _previous_ltsc(node_build: int) -> int:
    """The LTSC build before a node's, from the first with a stable interface on; else its own."""
    builds = [row.build for row in read(Release) if row.channel == "LTSC"]
    older = [build for build in builds if _FIRST_STABLE_BUILD <= build < node_build]
    return max(older, default=node_build)


@cache
def _tags(release: Release) -> frozenset[str]:
    return frozenset(tag.lower() for tag in release.tags)


@cache
def _rows() -> tuple[ImageName, ...]:
    return read(ImageName)


@cache
def _mirrors() -> tuple[str, ...]:
    """The longest first, each with its slash."""
    prefixes = [f"{prefix}/" for row in read(Mirror) for prefix in row.prefixes]
    return tuple(sorted(prefixes, key=len, reverse=True))


@cache
def _bases() -> frozenset[str]:
    return frozenset(name for row in _rows() if row.id == _BASE for name in row.repositories)


def _name_row(repository: str, tag: str) -> ImageName | None:
    """The row that tells a name's system; a tag that names Windows wins over a Linux repository."""
    words = set(_WORD.findall(tag))
    last = set(_WORD.findall(repository.rpartition("/")[2]))
    by_tag = next((row for row in _rows() if words.intersection(row.tag_words)), None)
    by_repository = next((row for row in _rows() if _is_below(repository, row.repositories)), None)
    if by_repository is not None and by_repository.os != OperatingSystem.LINUX.value:
        return by_repository
    if by_tag is not None and by_tag.os == OperatingSystem.WINDOWS.value:
        return by_tag
    by_name = next((row for row in _rows() if last.intersection(row.name_words)), None)
    return by_repository or by_name or by_tag


def _is_below(repository: str, beginnings: tuple[str, ...]) -> bool:
    return any(
        repository == beginning or repository.startswith(f"{beginning}/")
        for beginning in beginnings
    )
