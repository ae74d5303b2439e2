"""What `transom recipe -o json` and `-o yaml` print."""

from transom.model.api_versions import written
from transom.model.recipe import Recipe
from transom.model.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeList:
    """The recipes of the hosts that were asked for, in the order of the file."""

    api_version: str = written("RecipeList")
    kind: str = "RecipeList"
    items: tuple[Recipe, ...]
