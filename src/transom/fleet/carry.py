r"""Artifacts that a host cannot fetch itself, carried to it, such as those of a bundle.

Called by `join`. They go to C:\k\transom\carried under their sums, and only those that the host's own
plan says it lacks; the node program checks each sum again before use. Removed when the run ended well.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from transom.fleet.program import HOME
from transom.model.recipe import Artifact
from transom.remote.session import Session

CARRIED = HOME + r"\carried"


class Holdings(Protocol):
    """Artifacts on this machine, by their SHA-256."""

    def has(self, sha256: str) -> bool:
        """Whether it is here."""
        ...

    def read(self, sha256: str) -> bytes:
        """Its bytes, whose sum was checked; raise where they are not what they were."""
        ...


def to_be_carried(artifacts: Iterable[Artifact], holdings: Holdings) -> tuple[Artifact, ...]:
    """The artifacts as the host finds them: what is held here will lie in the carried folder."""
    return tuple(
        replace(artifact, file=_place(artifact.sha256), url="")
        if artifact.sha256 is not None and holdings.has(artifact.sha256)
        else artifact
        for artifact in artifacts
    )


async def carry(
    session: Session, artifacts: Iterable[Artifact], lacking: Iterable[str], holdings: Holdings
) -> int:
    """Send the carried artifacts that the host lacks; give how many bytes were sent."""
    names, sent = frozenset(lacking), 0
    for artifact in artifacts:
        sha256 = artifact.sha256
        if artifact.id not in names or sha256 is None or artifact.file != _place(sha256):
            continue
        content = holdings.read(sha256)
        await session.make_directory(CARRIED)
        if await session.put(_place(sha256), content):
            sent += len(content)
    return sent


async def clear(session: Session) -> None:
    """Take the carried folder away."""
    await session.remove_tree(CARRIED)


def _place(sha256: str) -> str:
    return rf"{CARRIED}\{sha256}"
