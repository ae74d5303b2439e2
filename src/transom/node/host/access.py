"""Whether the access Windows reports is the access the recipe wants, and whose a folder is.

Windows spells a descriptor in its own way when it is read back: rights as names or numbers, entries
in its own order, flags of its own. The kubelet closes its folder of container logs at each start with
entries of its own. Comparing texts would find drift for ever, so what counts is who may do what.
"""

import ntpath
from collections.abc import Iterator

from transom.model import sddl
from transom.model.problem import Refusal
from transom.model.recipe import Recipe
from transom.node.host.nouns.files import ReadFiles
from transom.node.host.values import PathKind


def same_access(found: str, wanted: str) -> bool:
    """Whether two descriptors let the same accounts do the same; an owner may do everything."""
    try:
        there = sddl.parse(found)
    except ValueError:
        return False  # an entry of a kind that no recipe has
    asked = sddl.parse(wanted)
    if sddl.owner_of(wanted) and sddl.owner_of(found) not in sddl.TRUSTED_OWNERS:
        return False
    if there.protected != asked.protected or not _gives(there, asked) or not _gives(asked, there):
        return False
    return _gives(there.child(), asked.child()) and _gives(asked.child(), there.child())


def _gives(one: sddl.AccessList, other: sddl.AccessList) -> bool:
    """Whether one gives everybody at least what the other does; recipes deny nothing."""
    return all(
        entry.allow and (not entry.mask or one.allows(entry.who, entry.mask))
        for entry in other.entries
    )


def foreign_folders(files: ReadFiles, recipe: Recipe) -> Iterator[Refusal]:
    """Name each folder on the way to what must be closed that belongs to somebody else, or is a link.

    Who owns a folder decides what is in it: closing it afterwards leaves what was put there before.
    """
    for path in dict.fromkeys(
        folder for item in recipe.directories if item.acl for folder in _way_to(item.path)
    ):
        kind = files.kind(path)
        if kind is PathKind.LINK:
            yield _foreign(path, "a link to another place", f"Look at it, then: rmdir {path}")
        elif kind is PathKind.DIRECTORY:
            owner = sddl.owner_of(files.acl(path))
            if owner not in sddl.TRUSTED_OWNERS:
                repair = f"icacls {path} /setowner *S-1-5-32-544"
                fix = f"Delete it, or look at everything in it, then: {repair}"
                yield _foreign(path, f"a folder of {owner or 'nobody'}", fix)


def _foreign(path: str, found: str, fix: str) -> Refusal:
    return Refusal(
        id="foreign-folder",
        subject=path,
        found=found,
        reason="programs and settings in it are used with the rights of SYSTEM",
        fix=f"{fix}.",
        source="",
    )


def _way_to(path: str) -> list[str]:
    """The folders from below the volume's root to that one."""
    way = []
    while ntpath.dirname(path) != path:
        way.append(path)
        path = ntpath.dirname(path)
    return way[::-1]
