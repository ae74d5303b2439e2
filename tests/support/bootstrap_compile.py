"""Plans of boot data that tests compile."""

import json
from pathlib import Path
from typing import Any

from transom.bootstrap.compile import (
    BootPlan,
    Fetched,
)
from transom.model.codec import decode
from transom.model.journal import Owner
from transom.model.recipe import Recipe
from transom.model.request import JoinSecrets, Request, Verb

ROOT = Path(__file__).parents[2]

TOKEN = "abcdef.0123456789abcdef"

SECRETS = JoinSecrets(endpoint="10.0.0.4:6443", token=TOKEN, ca_hashes=("sha256:" + "a" * 64,))


def recipe(name="k137-2022-containerd-flannel-overlay"):
    return decode(Recipe, json.loads((ROOT / f"tests/data/recipes/{name}.json").read_text("utf-8")))


def plan(**changes):
    request = Request(
        verb=Verb.JOIN,
        recipe=recipe(),
        owner=Owner(cluster="sha256:aa", fleet="shop", who="boot-data"),
    )
    values: dict[str, Any] = {
        "request": request,
        "python": Fetched(sha256="b" * 64, url="https://files.example/python.zip"),
        "program": Fetched(sha256="c" * 64, url="https://files.example/node.pyz"),
        "join": SECRETS,
        **changes,
    }
    return BootPlan(**values)
