r"""Artifacts that a host cannot fetch itself, carried to it, such as those of a bundle.

Called by `join`. They go to C:\k\transom\carried under their sums, and only those that the host's own
plan says it lacks; the node program checks each sum again before use. Removed when the run ended well.
"""

from collections.abc import Iterable
from dataclasses import replace
from typing import Protocol

from transom.fleet.program import HOME
from transom.model.recipe import Artifact
from transom.remote.session import Parcel, Session

CARRIED = HOME + r"\carried"


class Holdings(Protocol):
    """Artifacts on this machine, by their SHA-256."""

    def has(self, sha256: str) -> bool:
        """Whether it is here."""
        ...

    def parcel(self, sha256: str) -> Parcel:
        """Its bytes, to be sent."""
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
) -> None:
    """Send the carried artifacts that the host lacks."""
    names = frozenset(lacking)
    for artifact in artifacts:
        sha256 = artifact.sha256
        if artifact.id not in names or sha256 is None or artifact.file != _place(sha256):
            continue
        await session.make_directory(CARRIED)
        await session.send(_place(sha256), holdings.parcel(sha256))


async def clear(session: Session) -> None:
    """Take the carried folder away."""
    await session.remove_tree(CARRIED)


def _place(sha256: str) -> str:
    return rf"{CARRIED}\{sha256}"
