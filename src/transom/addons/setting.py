"""What add-ons need to know of a fleet, taken once from its recipes.

A DaemonSet has one command line for all its nodes: hosts that would need different ones are
refused here, with what differs.
"""

from collections.abc import Iterator, Sequence
from dataclasses import fields
from itertools import groupby

from transom.errors import Refused
from transom.facts import rows
from transom.facts.addons import AddonLimit
from transom.facts.rows import At
from transom.model.fleet import CLUSTER_DOMAIN, CalicoInstaller, CalicoSpec, Fleet, Plugin
from transom.model.problem import Refusal
from transom.model.recipe import NetworkPlan, Recipe
from transom.model.records import dataclass
from transom.model.taint import Taint
from transom.model.version import Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Where a host has the program that its add-ons run, and its network plugins."""

    install: str
    home: str
    python: str
    node_program: str
    cni_bin: str
    cni_conf: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """The hosts of one Windows build, with the isolations and every taint one of them has."""

    release: str
    build: int
    isolations: tuple[str, ...]
    taints: tuple[Taint, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One fleet as its add-ons see it; `installer` is who brings its network, where one can choose."""

    fleet: str
    kubernetes: Version
    runtime: str
    privileged: str
    network: NetworkPlan
    places: Places
    builds: tuple[Build, ...]
    nodes: tuple[str, ...]
    endpoint: str = ""
    installer: str = ""
    cluster_domain: str = CLUSTER_DOMAIN

    @property
    def at(self) -> At:
        """Where facts are asked about."""
        return At(kubernetes=self.kubernetes)


def setting_of(fleet: Fleet, recipes: Sequence[Recipe]) -> Setting:
    """The setting of a fleet with at least one host; raise Refused where its hosts differ."""
    differing = list(_differences(recipes))
    if differing:
        raise Refused(differing, subject=f"add-ons of fleet {fleet.name}")
    first = recipes[0]
    # Pools may differ: what every node of the fleet understands is what the oldest does.
    kubernetes = min(Version.parse(recipe.target.kubernetes) for recipe in recipes)
    return Setting(
        fleet=fleet.name,
        kubernetes=kubernetes,
        runtime=first.target.runtime,
        privileged=first.target.privileged,
        network=first.network,
        places=places_of(first),
        builds=tuple(_builds(recipes)),
        nodes=tuple(recipe.join.node_name for recipe in recipes),
        endpoint=fleet.cluster.endpoint or "",
        installer=_installer(fleet.network.plugin),
        cluster_domain=fleet.network.cluster_domain or CLUSTER_DOMAIN,
    )


def places_of(recipe: Recipe) -> Places:
    """Where this host has things."""
    paths = {directory.why: directory.path for directory in recipe.directories}
    home = paths["directory-transom"]
    return Places(
        install=paths["directory-k"],
        home=home,
        python=f"{home}\\python\\python.exe",
        node_program=f"{home}\\node.pyz",
        cni_bin=paths["directory-cni-bin"],
        cni_conf=paths["directory-cni-conf"],
    )


def _installer(plugin: Plugin) -> str:
    if not isinstance(plugin, CalicoSpec):
        return ""
    return (plugin.installer or CalicoInstaller.OPERATOR).value


def _builds(recipes: Sequence[Recipe]) -> Iterator[Build]:
    def key(recipe: Recipe) -> tuple[int, str]:
        return recipe.target.windows_build, recipe.target.windows_release

    for (build, release), found in groupby(sorted(recipes, key=key), key=key):
        group = list(found)
        taints = dict.fromkeys(taint for recipe in group for taint in recipe.join.taints)
        isolations = {recipe.target.isolation for recipe in group}
        yield Build(
            release=release,
            build=build,
            isolations=tuple(sorted(isolations)),
            taints=tuple(taints),
        )


def _differences(recipes: Sequence[Recipe]) -> Iterator[Refusal]:
    row = rows.one(AddonLimit, "addons-one-command-line", At())
    expected = places_of(recipes[0])
    for recipe in recipes[1:]:
        found = places_of(recipe)
        for field in fields(Places):
            ours, theirs = getattr(expected, field.name), getattr(found, field.name)
            if ours != theirs:
                name = recipe.identity.name
                yield Refusal(
                    id=row.id,
                    subject=f"hosts[{name}].directories.install",
                    found=f"{theirs} instead of {ours}",
                    reason=row.text,
                    fix="Give all hosts one install directory, or use privilegedMode: Services.",
                    source=row.source,
                )
                break
