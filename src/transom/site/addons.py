"""What a cluster runs for a fleet's Windows nodes: rendered for people, compared with the cluster, applied, taken away."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from transom.addons.catalogue import render
from transom.addons.delivery import listed
from transom.addons.pinned_images import by_digest
from transom.addons.provisions import provisions
from transom.addons.setting import Setting, setting_of
from transom.errors import UsageError
from transom.fleet import addons
from transom.fleet.addon_change import Act, Change
from transom.fleet.cluster import endpoint_of
from transom.fleet.turning import Clock, RealClock
from transom.kube.api import Api
from transom.kube.door import Door
from transom.model.fleet import Fleet
from transom.model.lock import Lock
from transom.model.manifest import Manifest
from transom.model.records import dataclass
from transom.recipe.resolve import resolve


@dataclass(frozen=True, kw_only=True)
class Rendered:
    """The manifests of a fleet's add-ons, and what they need that Transom does not bring."""

    manifests: tuple[Manifest, ...]
    needs: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Changes:
    """What was changed in a cluster, or would be; `needs` as of `Rendered`."""

    items: tuple[Change, ...]
    needs: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether the cluster has everything as it should be."""
        return all(change.act is Act.KEEP for change in self.items)


@dataclass(frozen=True, kw_only=True)
class AddonWork:
    """A fleet's add-ons in its cluster: `extras` beside the fleet's own; `force` takes over what others set."""

    fleet: Fleet
    lock: Lock
    objects: Door
    api: Api
    extras: Sequence[str] = ()
    force: bool = False

    async def diff(self) -> Changes:
        """Say what applying would change; change nothing."""
        rendered = await self._suited()
        items = await addons.diff(
            self.objects, rendered.manifests, self.fleet.name, force=self.force
        )
        return Changes(items=tuple(items), needs=rendered.needs)

    async def apply(self, *, wait_s: float | None = None, clock: Clock | None = None) -> Changes:
        """Have the cluster run them, and wait so long for their pods; None does not wait."""
        rendered = await self._suited()
        items = await addons.apply(
            self.objects, rendered.manifests, self.fleet.name, force=self.force
        )
        if wait_s is not None:
            await addons.await_rollout(
                self.objects, rendered.manifests, clock or RealClock(), timeout_s=wait_s
            )
        return Changes(items=tuple(items), needs=rendered.needs)

    async def owned(self) -> Changes:
        """Say what deleting would take away."""
        return Changes(items=tuple(await addons.owned(self.objects, self.fleet.name)))

    async def delete(self) -> Changes:
        """Take away what Transom made for this fleet."""
        return Changes(items=tuple(await addons.delete(self.objects, self.fleet.name)))

    async def _suited(self) -> Rendered:
        """Render for the cluster as it is; refuse one that does not suit the add-ons."""
        setting = _setting(await _at_cluster(self.fleet, self.api))
        await addons.check(self.objects, setting)
        nodes = await self.objects.list("v1", "Node")
        return Rendered(
            manifests=tuple(by_digest(render(setting, self.extras), self.lock)),
            needs=tuple(provisions(setting, nodes, extras=self.extras)),
        )


def rendered_for(fleet: Fleet, lock: Lock, extras: Sequence[str] = ()) -> Rendered:
    """Render without asking a cluster."""
    setting = _setting(fleet)
    return Rendered(
        manifests=tuple(by_digest(render(setting, extras), lock)),
        needs=tuple(provisions(setting, extras=extras)),
    )


def only_fleet(fleets: Sequence[Fleet], *, file: str) -> Fleet:
    """Give the one fleet of a file; add-ons of several would take each other away."""
    if len(fleets) != 1:
        names = ", ".join(fleet.name for fleet in fleets) or "none"
        raise UsageError(
            f"add-ons are of one fleet, and {file} has {len(fleets)}",
            subject=names,
            hint="write each fleet into a file of its own",
        )
    return fleets[0]


def write_folder(folder: Path, files: dict[str, str]) -> None:
    """Write a folder for kustomize; files of an earlier writing that are no longer wanted go."""
    kustomization = folder / "kustomization.yaml"
    try:
        before = listed(kustomization.read_text("utf-8")) if kustomization.exists() else []
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            (folder / name).write_text(text, "utf-8", newline="\n")
        for name in before:
            if name not in files:
                (folder / name).unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"cannot write {folder}", subject=str(folder)) from error


async def _at_cluster(fleet: Fleet, api: Api) -> Fleet:
    """Give the fleet with what it does not say of its cluster."""
    version = fleet.cluster.version or await api.version()
    endpoint = fleet.cluster.endpoint or await endpoint_of(api)
    return replace(fleet, cluster=replace(fleet.cluster, version=version, endpoint=endpoint))


def _setting(fleet: Fleet) -> Setting:
    recipes = resolve(fleet)
    if not recipes:
        raise UsageError(
            f"fleet {fleet.name} has no hosts, so nothing is known of its nodes",
            hint="add its hosts first",
        )
    return setting_of(fleet, recipes)
