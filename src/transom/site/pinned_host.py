"""One host of a fleet with every byte it needs pinned: for machines that fetch for themselves, with nobody watching."""

import hashlib
from collections.abc import Iterable
from dataclasses import field, replace
from pathlib import Path

from transom.errors import UsageError
from transom.model.fleet import Fleet
from transom.model.recipe import Artifact, Recipe
from transom.model.records import dataclass
from transom.node.steps.artifacts import INTERPRETER
from transom.site.locks import LockedFleets


@dataclass(frozen=True, slots=True, kw_only=True)
class Python:
    """The Python for hosts: where machines fetch it, its sum, and its bytes where a file was named."""

    url: str
    sha256: str
    content: bytes = field(default=b"", repr=False)


def recipe_of(
    locked: LockedFleets, host: str | None, *, python_beside: bool = False
) -> tuple[Fleet, Recipe]:
    """Give the recipe of the named host, else of the first, with all of it pinned.

    What comes from a file of this machine is refused, but for Python where it goes along.
    """
    from transom.recipe.end_of_life import refuse_end_of_life
    from transom.recipe.lock import apply_lock
    from transom.recipe.resolve import resolve

    fleet, name = _find(locked, host)
    (recipe,) = resolve(fleet, hosts=[name])
    refuse_end_of_life(fleet, [recipe])
    found = apply_lock(recipe.artifacts, locked.lock, mirrors=fleet.source.mirrors).artifacts
    unpinned = [artifact.id for artifact in found if artifact.sha256 is None]
    if unpinned:
        raise UsageError(
            f"no sum is known of {', '.join(unpinned)}",
            subject=locked.file,
            hint="pin them with `transom lock`: a machine uses no byte without one",
        )
    _refuse_local(found, locked.file, python_beside=python_beside)
    return fleet, replace(recipe, artifacts=found)


def _find(locked: LockedFleets, wanted: str | None) -> tuple[Fleet, str]:
    for fleet in locked.fleets:
        names = [host.name for host in fleet.hosts]
        if names and (not wanted or wanted in names):
            return fleet, wanted or names[0]
    raise UsageError(
        f"no fleet in {locked.file} has a host {wanted}" if wanted else "the fleet has no host",
        subject=locked.file,
        hint="name one of its hosts with --host",
    )


def _refuse_local(artifacts: Iterable[Artifact], file: str, *, python_beside: bool) -> None:
    local = [
        artifact.id
        for artifact in artifacts
        if artifact.file and not (python_beside and artifact.id == INTERPRETER)
    ]
    if local:
        raise UsageError(
            f"{', '.join(local)} come from files of this machine, which other machines cannot read",
            subject=file,
            hint="put them where those reach them, and name url and sha256 in source.overrides",
        )


def python_of(locked: LockedFleets, fleet: Fleet, package: str | Path | None = None) -> Python:
    """Give Python by its sum in the lock, or the package that is named."""
    from transom.fleet.on_host.interpreter import (
        interpreter_artifact,
        local_package,
        locked_version,
        own_interpreter,
    )
    from transom.recipe.sources import mirrored

    pinnable = interpreter_artifact(fleet.source, locked_version(fleet))
    url = mirrored(pinnable.artifact.url, pinnable.mirrors)
    own = package or local_package(fleet.source, locked.folder)
    if own:
        content = own_interpreter(Path(own), pinnable, locked.lock)
        return Python(url=url, sha256=hashlib.sha256(content).hexdigest(), content=content)
    entry = locked.lock.by_key().get(pinnable.key)
    if entry is None:
        raise UsageError(
            "no sum is known of the Python for hosts",
            subject=str(locked.lock_path),
            hint="pin it with `transom lock`, or name the package with --python",
        )
    return Python(url=url, sha256=entry.sha256)
