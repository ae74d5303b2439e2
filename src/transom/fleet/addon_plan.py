"""The add-ons of a fleet as part of its plan: what its cluster lacks of them, and having it so.

Nothing is ever deleted here: what was asked for beside
(`transom addons apply --with`) is not known.
"""

from transom.addons.catalogue import render
from transom.addons.pinned_images import by_digest
from transom.addons.setting import setting_of
from transom.errors import Refused
from transom.fleet.addon_change import Act, AddonPlan
from transom.fleet.addons import await_rollout, check, difference
from transom.fleet.turning import Clock
from transom.kube.door import Door
from transom.model.fleet import Fleet
from transom.model.lock import Lock
from transom.model.manifest import name_of
from transom.recipe.resolve import resolve

_ROLLOUT_S = 300.0


async def plan_addons(fleet: Fleet, objects: Door, lock: Lock) -> AddonPlan:
    """Look at the cluster; the fleet's versions are known. Changes nothing."""
    try:
        setting = setting_of(fleet, resolve(fleet))
        await check(objects, setting)
    except Refused as refused:
        return AddonPlan(refusals=refused.refusals, remedy=refused.hint)
    manifests = by_digest(render(setting), lock)
    changes = [await difference(objects, manifest) for manifest in manifests]
    wanted = tuple(change for change in changes if change.act is not Act.KEEP)
    return AddonPlan(manifests=tuple(manifests), changes=wanted)


async def apply_addons(objects: Door, plan: AddonPlan) -> None:
    """Create and change what the plan has, in its order."""
    wanted = {change.name for change in plan.changes}
    for manifest in plan.manifests:
        if name_of(manifest) in wanted:
            await objects.apply(manifest)


async def await_addons(
    objects: Door, plan: AddonPlan, clock: Clock, *, something_changed: bool
) -> None:
    """Wait until the pods run; where nothing changed, only look."""
    timeout_s = _ROLLOUT_S if something_changed else 0
    await await_rollout(objects, plan.manifests, clock, timeout_s=timeout_s)
