"""What `transom recipe -o json` and `-o yaml` print."""

from transom.model.recipe import API_VERSION, Recipe
from transom.model.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeList:
    """The recipes of the hosts that were asked for, in the order of the file."""

    api_version: str = API_VERSION
    kind: str = "RecipeList"
    items: tuple[Recipe, ...]
