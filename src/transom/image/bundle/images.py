"""Which container images a fleet's nodes and add-ons need, and for which Windows builds. Pure."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from transom.addons.catalogue import render
from transom.addons.setting import setting_of
from transom.model.fleet import Fleet
from transom.model.manifest import Manifest
from transom.recipe.lock import PinnableArtifact
from transom.recipe.pinnable import image_pinnable
from transom.recipe.resolve import resolve


def images_of(fleets: Iterable[Fleet], extras: Sequence[str] = ()) -> list[PinnableArtifact]:
    """The images as what a lock pins: their manifests, whose sums are the images' digests.

    `extras` are add-ons that were asked for beside.

    Raises:
        Refused: A fleet cannot work, with every reason.
    """
    found: list[PinnableArtifact] = []
    for fleet in fleets:
        recipes = resolve(fleet)
        reasons = {image.reference: image.why for recipe in recipes for image in recipe.images}
        reasons |= dict.fromkeys(_references(addons_of(fleet, extras)), "add-ons")
        found += [image_pinnable(name, fleet, why=why) for name, why in reasons.items()]
    return found


def builds_in_use(fleets: Iterable[Fleet]) -> dict[str, frozenset[int]]:
    """The builds of the hosts that run an image which must be of their own build, by reference."""
    builds: dict[str, frozenset[int]] = {}
    for fleet in fleets:
        for recipe in resolve(fleet):
            for image in recipe.images:
                own = frozenset((recipe.target.windows_build,))
                builds[image.reference] = builds.get(image.reference, frozenset()) | own
    return builds


def addons_of(fleet: Fleet, extras: Sequence[str] = ()) -> list[Manifest]:
    """What the cluster runs for the fleet's nodes; nothing for a fleet without hosts."""
    recipes = resolve(fleet)
    return render(setting_of(fleet, recipes), extras) if recipes else []


def _references(value: Any) -> Iterator[str]:
    """Every image that a manifest names, wherever it stands."""
    if isinstance(value, dict):
        if isinstance(value.get("image"), str):
            yield value["image"]
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from _references(item)
