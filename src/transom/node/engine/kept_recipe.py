"""The recipe a host was last brought to, kept beside the journal: a recipe holds no secret.

Written by the runner when a run ends well, removed by a reset, read by a diagnosis.
"""

import json

from transom.model.codec import decode, encode
from transom.model.recipe import Recipe
from transom.node.host.nouns.files import Files, ReadFiles
from transom.node.host.values import PathKind
from transom.node.layout import Layout


def keep_recipe(files: Files, layout: Layout, recipe: Recipe) -> None:
    """Write the recipe down unless it is there already."""
    content = json.dumps(encode(recipe)).encode()
    there = files.kind(layout.recipe) is PathKind.FILE
    if not there or files.read(layout.recipe) != content:
        files.write(layout.recipe, content)


def kept_recipe(files: ReadFiles, layout: Layout) -> Recipe | None:
    """The recipe of a host, None where none was kept or this version cannot read it."""
    if files.kind(layout.recipe) is not PathKind.FILE:
        return None
    try:
        return decode(Recipe, json.loads(files.read(layout.recipe)))
    except ValueError:
        return None
