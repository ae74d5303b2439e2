"""Why a host would change: the fact, or the key of the fleet, that each change rests on. Pure.

The node program says what differs from the recipe; the recipe's entries know why they
are there, and `transom explain` tells the rest.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from transom.model.answers import PlannedChange, PlannedStep
from transom.model.recipe import Recipe


def with_reasons(steps: Iterable[PlannedStep], recipe: Recipe) -> tuple[PlannedStep, ...]:
    """The steps, each change with the id of its reason where the recipe has one."""
    known = _reasons(recipe)
    return tuple(_step(step, known.get(step.step, {})) for step in steps)


def _step(step: PlannedStep, reasons: Mapping[str, str]) -> PlannedStep:
    def reason(change: PlannedChange) -> str:
        entry = f"{change.subject}={change.wanted.removesuffix(' in the list')}"
        return reasons.get(entry) or reasons.get(change.subject, "")

    drift = tuple(
        change if change.id else replace(change, id=reason(change)) for change in step.drift
    )
    return replace(step, drift=drift)


def _reasons(recipe: Recipe) -> Mapping[str, Mapping[str, str]]:
    """By step and by what it calls its subject; entries of a list such as Path also by their value."""
    services = {item.name: item.why for item in recipe.services}
    files = {item.path: item.why for item in recipe.files}
    return {
        "features": {item.name: item.why for item in recipe.features},
        "directories": {item.path: item.why for item in recipe.directories},
        "environment": {f"{item.name}={item.value}": item.why for item in recipe.environment},
        "registry": {rf"{item.key}\{item.name}": item.why for item in recipe.registry},
        "routes": {item.prefix: item.why for item in recipe.routes},
        "firewall": {item.name: item.why for item in recipe.firewall},
        "defender": {item.process: item.why for item in recipe.defender_exclusions},
        "artifacts": {item.id: item.why for item in recipe.artifacts},
        "files": files,
        "late-files": files,
        "protected-files": {item.path: item.why for item in recipe.protected_files},
        "services": services,
        "program-services": services,
        "host-networks": {item.name: item.why for item in recipe.host_networks},
        "kubelet-settings": recipe.kubelet.why,
        "join": {recipe.join.node_name: recipe.join.why},
    }
