"""What a node is built on and cannot change while it is one: its name, its network and its folders. Pure.

Another value would leave pods, addresses and images behind that nothing of the new node knows. The way
over is to reset the host and join it again. Standard library only: it ships to hosts.
"""

from collections.abc import Iterator

from transom.model.recipe import Recipe
from transom.model.records import dataclass

_NONE = "none"


@dataclass(frozen=True, slots=True)
class Fixed:
    """One thing that is fixed, as the node has it and as it should be."""

    what: str
    found: str
    wanted: str


def fixed_differences(before: Recipe, after: Recipe) -> Iterator[Fixed]:
    """Everything that is fixed and would be another."""
    yield from _other("node name", before.join.node_name, after.join.node_name)
    yield from _network(before, after)
    folders = {folder.why: folder.path for folder in before.directories}
    for folder in after.directories:
        was = folders.get(folder.why, folder.path) if folder.why else folder.path
        yield from _other(f"folder {folder.why.removeprefix('directory-')}", was, folder.path)


def _network(before: Recipe, after: Recipe) -> Iterator[Fixed]:
    old, new = before.network, after.network
    yield from _other("network plugin", old.plugin, new.plugin)
    yield from _other("network mode", old.mode, new.mode)
    yield from _other("network name", old.name, new.name)
    yield from _other("VXLAN identifier", str(old.vni or _NONE), str(new.vni or _NONE))
    yield from _other("VXLAN port", str(old.port or _NONE), str(new.port or _NONE))
    # A range more takes nothing from pods that have an address.
    for what, had, has in (
        ("pod ranges", old.pod_cidrs, new.pod_cidrs),
        ("service ranges", old.service_cidrs, new.service_cidrs),
    ):
        if {*had} - {*has}:
            yield Fixed(what, ", ".join(had), ", ".join(has))


def _other(what: str, was: str, now: str) -> Iterator[Fixed]:
    if was.lower() != now.lower():
        yield Fixed(what, was or _NONE, now or _NONE)
