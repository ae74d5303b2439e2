"""One host of a fleet with every byte it needs pinned: what leaves for machines that nobody watches.

Used by `userdata compile` and `script prepare`, whose machines fetch for themselves.
"""

import hashlib
from argparse import Namespace
from collections.abc import Iterable
from dataclasses import field, replace
from pathlib import Path

from transom.cli import fleet_file, lock_file
from transom.errors import UsageError
from transom.model.fleet import Fleet
from transom.model.recipe import Artifact, Recipe
from transom.model.records import dataclass
from transom.node.steps.artifacts import INTERPRETER


@dataclass(frozen=True, slots=True, kw_only=True)
class Python:
    """The Python for hosts: where machines fetch it, its sum, and its bytes where a file was named."""

    url: str
    sha256: str
    content: bytes = field(default=b"", repr=False)


def recipe_of(args: Namespace, *, python_beside: bool = False) -> tuple[Fleet, Recipe]:
    """The recipe of the host that `--host` names, else of the first; all of it pinned.

    What comes from a file of this machine is refused, but for Python where it goes along.
    """
    from transom.recipe.end_of_life import refuse_end_of_life
    from transom.recipe.lock import apply_lock
    from transom.recipe.resolve import resolve

    fleets = fleet_file.read(args.filename)
    for fleet in fleets:
        names = [host.name for host in fleet.hosts]
        if names and (not args.host or args.host in names):
            (recipe,) = resolve(fleet, hosts=[args.host or names[0]])
            refuse_end_of_life(fleet, [recipe])
            lock = lock_file.load(lock_file.locate(args.filename, args.lock))
            found = apply_lock(recipe.artifacts, lock, mirrors=fleet.source.mirrors).artifacts
            open_ = [artifact.id for artifact in found if artifact.sha256 is None]
            if open_:
                raise UsageError(
                    f"no sum is known of {', '.join(open_)}",
                    subject=args.filename,
                    hint="pin them with `transom lock`: a machine uses no byte without one",
                )
            _refuse_local(found, args.filename, python_beside=python_beside)
            return fleet, replace(recipe, artifacts=found)
    raise UsageError(
        f"no fleet in {args.filename} has a host {args.host}"
        if args.host
        else "the fleet has no host",
        subject=args.filename,
        hint="name one of its hosts with --host",
    )


def _refuse_local(artifacts: Iterable[Artifact], filename: str, *, python_beside: bool) -> None:
    local = [
        artifact.id
        for artifact in artifacts
        if artifact.file and not (python_beside and artifact.id == INTERPRETER)
    ]
    if local:
        raise UsageError(
            f"{', '.join(local)} come from files of this machine, which other machines cannot read",
            subject=filename,
            hint="put them where those reach them, and name url and sha256 in source.overrides",
        )


def python_of(args: Namespace, fleet: Fleet) -> Python:
    """Python by its sum in the lock, or the package that `--python` names."""
    from transom.fleet.interpreter import interpreter_artifact, local_package, own_interpreter
    from transom.recipe.sources import mirrored

    pinnable = interpreter_artifact(fleet.source)
    path = lock_file.locate(args.filename, args.lock)
    lock = lock_file.load(path)
    url = mirrored(pinnable.artifact.url, pinnable.mirrors)
    own = args.python or local_package(fleet.source, fleet_file.folder(args.filename))
    if own:
        content = own_interpreter(Path(own), pinnable, lock)
        return Python(url=url, sha256=hashlib.sha256(content).hexdigest(), content=content)
    entry = lock.by_key().get(pinnable.key)
    if entry is None:
        raise UsageError(
            "no sum is known of the Python for hosts",
            subject=str(path),
            hint="pin it with `transom lock`, or name the package with --python",
        )
    return Python(url=url, sha256=entry.sha256)
