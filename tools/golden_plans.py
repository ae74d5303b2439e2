"""What `node.pyz plan` answers for a recipe on a machine as Windows' setup leaves it; for golden files.

The machine is the simulated one; sums that only a lock knows are made up.
"""

import hashlib
import io
import json
from collections.abc import Iterator
from dataclasses import replace

from transom.model.codec import encode
from transom.model.journal import Owner
from transom.model.recipe import Artifact, Recipe
from transom.model.request import JoinSecrets, Request, Verb
from transom.node.verbs.program import main
from transom.testing.simulated_host import SimulatedHost

_NEWEST_REVISION = 99_999
_PIN = f"sha256:{'0' * 64}"


def golden_plan(recipe: Recipe) -> str:
    """The plan of a join, as its JSON document."""
    host = SimulatedHost()
    host.files.make_directory(r"C:\k\transom")
    host.system.name = recipe.join.node_name
    host.system.windows = (recipe.target.windows_build, _NEWEST_REVISION)
    for feature in recipe.features:
        host.features.disable(feature.name)
    request = Request(
        verb=Verb.PLAN,
        plan_for=Verb.JOIN,
        recipe=replace(recipe, artifacts=tuple(_locked(recipe))),
        owner=Owner(cluster=_PIN, fleet=recipe.identity.fleet, who="cli"),
        join=JoinSecrets(endpoint="10.0.0.1:6443", token="", ca_hashes=(_PIN,)),
    )
    out = io.StringIO()
    text = json.dumps(encode(request))
    code = main(["plan"], machine=host, stdin=io.StringIO(text), stdout=out)
    assert code == 0, out.getvalue()
    return json.dumps(json.loads(out.getvalue()), indent=1, ensure_ascii=False) + "\n"


def _locked(recipe: Recipe) -> Iterator[Artifact]:
    for artifact in recipe.artifacts:
        yield replace(artifact, sha256=hashlib.sha256(artifact.url.encode()).hexdigest())
