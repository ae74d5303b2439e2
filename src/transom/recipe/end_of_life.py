"""Leave to install what nobody maintains any more: asked for wherever a machine is about to be changed.

Recipes of old versions are printed without it, because looking harms nobody. Pure.
"""

from collections.abc import Sequence

from transom.errors import Refused
from transom.facts import rows
from transom.facts.join import Limit
from transom.facts.rows import At
from transom.model.fleet import Fleet
from transom.model.problem import Refusal
from transom.model.recipe import Recipe


def refuse_end_of_life(fleet: Fleet, recipes: Sequence[Recipe]) -> None:
    """Raise for every host whose version is at its end, unless the fleet accepts that."""
    row = rows.one(Limit, "limit-legacy-minor", At())
    found = [
        Refusal(
            id=row.id,
            subject=recipe.identity.name,
            found=f"Kubernetes {recipe.target.kubernetes}, {recipe.target.runtime}, {recipe.target.privileged}",
            reason="nobody maintains it any more, and it was never seen running with Transom",
            fix="Use a newer version, or set `endOfLifePolicy: Allow` in the fleet.",
            source=row.source,
        )
        for recipe in recipes
        if recipe.target.end_of_life and not fleet.allow_end_of_life
    ]
    if found:
        raise Refused(found, subject=f"fleet {fleet.name}")
