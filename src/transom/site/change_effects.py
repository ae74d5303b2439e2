"""What a change of a fleet does to nodes that run, from its recipes before and after. Pure.

From it comes what the reference and `transom explain fleet.FIELD` say of each key (`spec/changes.json`).
"""

from collections.abc import Iterable
from enum import StrEnum

from transom.addons.catalogue import render
from transom.addons.setting import setting_of
from transom.fleet.planning.recipe_changes import changes_between, kubelet_lacks
from transom.model.disruption import Disruption, worst
from transom.model.fleet import Fleet
from transom.model.foundation import fixed_differences
from transom.model.manifest import Manifest
from transom.model.recipe import Recipe
from transom.model.records import dataclass
from transom.recipe.node_labels import given_labels
from transom.recipe.resolve import resolve


class Effect(StrEnum):
    """What becomes of a change, the mildest first."""

    NOTHING = "nothing"
    ADDONS = "addons"
    LABELS = "labels"
    NOT_APPLIED = "not-applied"
    STEPS = "steps"
    UPGRADE = "upgrade"
    HOST_DECIDES = "host-decides"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeEffect:
    """What a change does to a node in use: by which steps, and what its pods feel."""

    effect: Effect
    disruption: Disruption = Disruption.NONE
    steps: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The effect in one sentence."""
        return _SENTENCES[self.effect].format(
            felt=_FELT[self.disruption], steps=", ".join(f"`{step}`" for step in self.steps)
        )


_SENTENCES = {
    Effect.NOTHING: "Nothing on nodes.",
    Effect.LABELS: "Through the API, without a restart.",
    Effect.NOT_APPLIED: "New nodes have it; for nodes that have joined `plan` lists it as not applied, "
    "with the command that sets it.",
    Effect.ADDONS: "Add-ons in the cluster change; nothing on hosts.",
    Effect.STEPS: "{felt} Steps: {steps}.",
    Effect.UPGRADE: "`apply` refuses it; `transom upgrade` goes over in waves. {felt}",
    Effect.HOST_DECIDES: "It must be what the host has; another is refused.",
    Effect.REFUSED: "Refused once nodes exist; reset hosts and join them again, in waves.",
}
_FELT = {
    Disruption.NONE: "Applied without an interruption.",
    Disruption.KUBELET_RESTART: "The kubelet restarts, in waves; pods go on.",
    Disruption.PODS_STOP: "Nodes are drained, in waves: pods stop.",
    Disruption.NETWORK_BLIP: "Nodes are drained, in waves: the network is interrupted.",
    Disruption.REBOOT: "Nodes are drained, in waves, and reboot.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """A fleet, what its hosts are to have, and what its cluster is to run for them."""

    fleet: Fleet
    recipes: tuple[Recipe, ...]
    manifests: tuple[Manifest, ...]


def outcome_of(fleet: Fleet) -> Outcome:
    """What a fleet comes to; raise Refused where it cannot work."""
    recipes = tuple(resolve(fleet))
    manifests = tuple(render(setting_of(fleet, recipes))) if recipes else ()
    return Outcome(fleet=fleet, recipes=recipes, manifests=manifests)


def effect_between(before: Outcome, after: Outcome) -> ChangeEffect:
    """What becomes of the hosts that both have."""
    if before.fleet.name != after.fleet.name:
        return ChangeEffect(effect=Effect.REFUSED)
    pairs = zip(before.recipes, after.recipes, strict=False)
    found = [_of_host(was, now) for was, now in pairs]
    found += _labels(before.fleet, after.fleet)
    if before.manifests != after.manifests:
        found.append(ChangeEffect(effect=Effect.ADDONS))
    return together(found)


def together(effects: Iterable[ChangeEffect]) -> ChangeEffect:
    """The strongest of some effects, with the worst disruption and all steps of those that are as strong."""
    found = [*effects] or [ChangeEffect(effect=Effect.NOTHING)]
    order = [*Effect]
    strongest = max((item.effect for item in found), key=order.index)
    alike = [item for item in found if item.effect is strongest]
    return ChangeEffect(
        effect=strongest,
        disruption=worst(item.disruption for item in alike),
        steps=tuple(dict.fromkeys(step for item in alike for step in item.steps)),
    )


def _of_host(was: Recipe, now: Recipe) -> ChangeEffect:
    if any(fixed_differences(was, now)):
        return ChangeEffect(effect=Effect.REFUSED)
    if was.target.windows_build != now.target.windows_build:
        return ChangeEffect(effect=Effect.HOST_DECIDES)
    if was.target.kubernetes == now.target.kubernetes and kubelet_lacks(was, now):
        return ChangeEffect(effect=Effect.NOT_APPLIED)
    changes = changes_between(was, now)
    steps = tuple(change.step.value for change in changes)
    felt = worst(change.disruption for change in changes)
    if was.target.kubernetes != now.target.kubernetes:
        return ChangeEffect(effect=Effect.UPGRADE, disruption=felt, steps=steps)
    if steps:
        return ChangeEffect(effect=Effect.STEPS, disruption=felt, steps=steps)
    registers = (was.join.labels, was.join.taints) != (now.join.labels, now.join.taints)
    return ChangeEffect(effect=Effect.NOT_APPLIED if registers else Effect.NOTHING)


def _labels(before: Fleet, after: Fleet) -> list[ChangeEffect]:
    """Labels that a kubelet may not give its Node are given through the API."""
    pairs = zip(before.hosts, after.hosts, strict=False)
    differ = any(given_labels(was.labels) != given_labels(now.labels) for was, now in pairs)
    return [ChangeEffect(effect=Effect.LABELS)] if differ else []
