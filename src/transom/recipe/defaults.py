"""What a fleet leaves open and the facts choose: recorded in the lock once, and kept until somebody asks for newer.

Pure. A choice that hosts of one fleet would make differently is not recorded: it follows their own settings.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from transom.facts import rows
from transom.facts.addons import AddonImage
from transom.facts.install import ArtifactRow, DefaultVersion
from transom.facts.join import PrivilegedWay
from transom.facts.rows import At, Row
from transom.model.fleet import Fleet
from transom.model.lock import Default, Lock, kept_default
from transom.model.records import dataclass
from transom.model.version import Version
from transom.recipe.case import shapes_of
from transom.recipe.resolve import cases_of
from transom.recipe.shape import KUBERNETES, MODE, PORT, PRIVILEGED, VNI, Shape, pause_name

_VERSION = re.compile(r"\{(version-[a-z0-9-]+)\}")
# Images of a Windows build are wins' only, and those of Calico have its version in them.
_OF_THEIR_OWN = ("image-nanoserver-", "image-calico-")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewerDefault:
    """A default of the lock for which the facts have another value today."""

    fleet: str
    name: str
    locked: str
    offered: str
    why: str


def locked_fleet(fleet: Fleet, lock: Lock, *, but: str | None = None) -> Fleet:
    """The fleet with what the lock has for it; `but` names what is to be chosen again, all where it is empty."""
    kept = () if but == "" else lock.defaults_of(fleet.name)
    return replace(fleet, locked=tuple(item for item in kept if item.name != but))


def defaults_of(fleet: Fleet) -> tuple[Default, ...]:
    """Everything that the fleet leaves open, as it is chosen: by the lock where that has it, else by the facts."""
    found: dict[tuple[str, str], Default] = {}
    differing: set[tuple[str, str]] = set()
    for shape in shapes_of(cases_of(fleet, hosts=(), detected_runtimes={})):
        for default in _of_shape(shape):
            if found.setdefault(default.key, default).value != default.value:
                differing.add(default.key)
    return tuple(found[key] for key in sorted(found.keys() - differing))


def unrecorded(fleet: Fleet) -> tuple[Default, ...]:
    """What would be chosen by the facts of today, because the lock has nothing for it."""
    known = {item.key for item in fleet.locked}
    return tuple(item for item in defaults_of(fleet) if item.key not in known)


def newer(fleet: Fleet) -> Iterator[NewerDefault]:
    """What the facts would choose otherwise today."""
    offered = {item.key: item for item in defaults_of(replace(fleet, locked=()))}
    for item in fleet.locked:
        today = offered.get(item.key)
        if today is not None and today.value != item.value:
            yield NewerDefault(
                fleet=fleet.name,
                name=item.name,
                locked=item.value,
                offered=today.value,
                why=today.why,
            )


def names_of(fleets: Iterable[Fleet]) -> list[str]:
    """The names of everything that these fleets leave open."""
    return sorted({item.name for fleet in fleets for item in defaults_of(fleet)})


def _of_shape(shape: Shape) -> Iterator[Default]:
    yield from _kubernetes(shape)
    yield from _versions(shape)
    minor = shape.kubernetes.minor_text
    for item in (*_privileged(shape), *_network(shape)):
        yield replace(item, kubernetes=minor)
    if not shape.own_pause and shape.pause is not None and shape.release is not None:
        name = pause_name(shape.release.build)
        yield Default(name, shape.pause.image, shape.pause.id, minor)
    yield from _images(shape)


def _images(shape: Shape) -> Iterator[Default]:
    def image(name: str) -> Callable[[Version], str]:
        return lambda version: rows.one(AddonImage, name, At(kubernetes=version)).image

    for row in rows.rows(AddonImage, At(kubernetes=shape.kubernetes)):
        if not row.id.startswith(_OF_THEIR_OWN):
            kept = kept_default(shape.fleet.locked, row.id, shape.kubernetes, image(row.id))
            yield Default(row.id, kept or row.image, row.id, _minor(shape, row))


def _minor(shape: Shape, row: Row) -> str:
    """The minor that a row's choice is for; empty where the row holds for all."""
    return shape.kubernetes.minor_text if row.kubernetes else ""


def _kubernetes(shape: Shape) -> Iterator[Default]:
    if shape.fleet.kubernetes.version == "cluster":
        yield Default(KUBERNETES, str(shape.kubernetes), "fleet:cluster.version")


def _versions(shape: Shape) -> Iterator[Default]:
    """The versions that artifacts have because nobody wrote one."""
    names = {
        match[1] for row in shape.rows(ArtifactRow) for match in _VERSION.finditer(row.version)
    }
    runtime = shape.fleet.runtime
    written = None if runtime is None else (runtime.containerd or runtime.docker)
    if written is None or written.version is None:
        names.add(f"version-{shape.runtime}")
    if not getattr(shape.fleet.network.plugin, "version", None):
        names.add(f"version-{shape.plugin}")
    for name in sorted(names):
        row = rows.find(DefaultVersion, name, At(kubernetes=shape.kubernetes))
        # What follows the minor of Kubernetes is no choice of its own.
        if row is not None and "{" not in row.version:
            program = name.removeprefix("version-")
            yield Default(program, shape.default_version(program), row.id, _minor(shape, row))


def _privileged(shape: Shape) -> Iterator[Default]:
    if shape.fleet.privileged is None:
        ways = (row for row in rows.rows(PrivilegedWay, shape.at) if row.way == shape.privileged)
        row = next(ways, None)
        yield Default(PRIVILEGED, shape.privileged, row.id if row else "privileged-services")


def _network(shape: Shape) -> Iterator[Default]:
    plugin, why = shape.fleet.network.plugin, shape.mode_row.id if shape.mode_row else ""
    if not why:
        return
    if hasattr(plugin, "mode") and plugin.mode is None:
        yield Default(MODE, shape.mode, why)
    if hasattr(plugin, "vni") and plugin.vni is None and shape.vni:
        yield Default(VNI, str(shape.vni), why)
    if hasattr(plugin, "port") and plugin.port is None and shape.port:
        yield Default(PORT, str(shape.port), why)
