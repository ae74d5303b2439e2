"""What each platform's image folder has of its own, from one golden recipe; sums and program are made up."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from transom.bootstrap.compile import Fetched
from transom.facts.platforms import Platform
from transom.facts.rows import read
from transom.image.packer.plan import ImagePlan
from transom.image.packer.render import render
from transom.model.image import OWNER, without_identity
from transom.model.journal import Owner
from transom.model.recipe import Recipe
from transom.model.request import Request, Verb

RECIPE = "k136-2022-containerd-flannel-l2bridge.json"
_SHARED = (
    "node.pyz",
    "request.json",
    "bring.cmd",
    "fetch.cmd",
    "prepare.cmd",
    "check.cmd",
    "setup.cmd",
)


def golden_folders(recipe: Recipe) -> Iterator[tuple[str, Mapping[str, str]]]:
    """The platform and its files by name, without those that are alike on all of them."""
    pinned = tuple(replace(item, sha256="a" * 64) for item in recipe.artifacts)
    made_up = Fetched(sha256="b" * 64, url="https://files.example.org/it")
    for platform in read(Platform):
        plan = ImagePlan(
            platform=platform,
            windows=recipe.target.windows_release,
            request=Request(
                verb=Verb.PREPARE,
                recipe=without_identity(replace(recipe, artifacts=pinned)),
                owner=Owner(cluster="", fleet=recipe.identity.fleet, who=OWNER),
            ),
            python=made_up,
            program=b"",
            cloudbase_init=made_up,
        )
        yield (
            platform.id,
            {
                name: content.decode().replace("\r\n", "\n")
                for name, content in render(plan).items()
                if name.rpartition("/")[2] not in _SHARED
            },
        )
