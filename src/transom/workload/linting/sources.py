"""The files that are linted: those named, those in folders, and those a pattern matches."""

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from transom.model.problem import Mistake

SUFFIXES = (".yaml", ".yml", ".json")
STDIN = "-"


# Folders of tools, in which nobody looks for manifests.
_OF_TOOLS = frozenset({".git", ".hg", ".svn", ".venv", ".terraform", ".tox", ".mypy_cache"})


def find(
    paths: Sequence[str],
    *,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    hidden: "set[str] | None" = None,
    rendered: Collection[str] = (),
) -> tuple[Iterable[str], list[Mistake]]:
    """The names of all files, each once and in order; and what was named but is not there.

    One folder is walked while its files are taken: there may be more than fit into memory. Files
    that match a pattern of `exclude` are left out, and those that match none of `include` unless
    they are named. Folders whose name begins with a dot are left out and come into `hidden`;
    those in `rendered` are left out, because what they render is looked at.
    """
    names, missing = _find(paths, _Walk(hidden if hidden is not None else set(), rendered))
    if include:
        kept = names
        names = (name for name in kept if name in paths or matches(name, include))
    if exclude:
        wanted = names
        names = (name for name in wanted if not matches(name, exclude))
    return names, missing


def matches(name: str, patterns: Sequence[str]) -> bool:
    """Whether a pattern matches a file or a folder it is in.

    A pattern from the root on is held against the whole name.
    """
    from fnmatch import fnmatchcase

    plain = name.replace(os.sep, "/")
    whole = os.path.abspath(name).replace(os.sep, "/")  # noqa: PTH100 - a Path costs more
    return any(
        fnmatchcase(whole if os.path.isabs(pattern) else plain, form)  # noqa: PTH117 - same
        for pattern in patterns
        for form in (pattern, f"{pattern.rstrip('/')}/*")
    )


class _Walk(NamedTuple):
    """What a walk leaves out: it notes hidden folders, and does not go into rendered ones."""

    hidden: set[str]
    rendered: Collection[str]


def _find(paths: Sequence[str], walk: _Walk) -> tuple[Iterable[str], list[Mistake]]:
    if len(paths) == 1 and os.path.isdir(paths[0]):  # noqa: PTH112 - a Path would tidy up the name
        return _below(paths[0], walk), []
    names: dict[str, None] = {}
    missing = []
    for path in paths:
        found = list(_expand(path, walk))
        if not found and not os.path.isdir(path):  # noqa: PTH112 - a Path would tidy up the name
            missing.append(
                Mistake(
                    "there is no such file or folder",
                    hint="Name a file, a folder, a pattern, or - for standard input.",
                    file=path,
                )
            )
        names.update(dict.fromkeys(found))
    return names, missing


def _expand(path: str, walk: _Walk) -> Iterator[str]:
    if path == STDIN or os.path.isfile(path):  # noqa: PTH113 - a Path would tidy up the name
        yield path
    elif os.path.isdir(path):  # noqa: PTH112 - same
        yield from _below(path, walk)
    elif any(char in path for char in "*?["):
        from glob import glob

        for name in sorted(glob(path, recursive=True)):  # noqa: PTH207 - keeps names as written
            if not _would_wait(name):
                yield from _expand(name, walk)
    elif os.path.exists(path):  # noqa: PTH110 - a pipe such as /dev/fd/3
        yield path


def _below(folder: str, walk: _Walk) -> Iterator[str]:
    for root, folders, files in os.walk(folder):
        dotted = {name for name in folders if name.startswith(".")} - _OF_TOOLS
        walk.hidden.update(os.path.normpath(os.path.join(root, name)) for name in dotted)  # noqa: PTH118 - same
        # Sorted in place, so that the walk goes the same way on every machine.
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".")
            and not (walk.rendered and os.path.normpath(os.path.join(root, name)) in walk.rendered)  # noqa: PTH118 - same
        )
        for name in sorted(files):
            path = os.path.join(root, name)  # noqa: PTH118 - same
            if name.lower().endswith(SUFFIXES) and not _would_wait(path):
                yield os.path.normpath(path)


def _would_wait(path: str) -> bool:
    """Whether reading would wait for somebody to write: pipes are read only if named themselves."""
    known = os.path.isfile(path) or os.path.isdir(path)  # noqa: PTH112, PTH113 - same
    return not known and os.path.exists(path)  # noqa: PTH110 - same
