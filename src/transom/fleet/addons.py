"""Add-ons and a cluster: what would change, changing it, taking it away, and waiting until it runs.

Only objects that Transom made for this fleet are ever deleted.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from transom.addons import calico_pools, flannel_config
from transom.addons.azure import azure_reasons
from transom.addons.flannel_config import Live, disagreements, remedy
from transom.addons.manifest import FLEET, MANAGED_BY
from transom.addons.ovn import ovn_reasons
from transom.addons.rivals import rivals
from transom.addons.setting import Setting
from transom.errors import Refused, TemporaryError
from transom.fleet.addon_change import Act, Change
from transom.fleet.turning import Clock, Turn, Waiting, until
from transom.kube.door import Door
from transom.model.manifest import Manifest, ObjectName, name_of

# Every kind an add-on may have, in the order of applying; deleting goes backwards.
KINDS = (
    ("v1", "Namespace"),
    ("node.k8s.io/v1", "RuntimeClass"),
    ("v1", "ServiceAccount"),
    ("v1", "ConfigMap"),
    ("rbac.authorization.k8s.io/v1", "ClusterRole"),
    ("rbac.authorization.k8s.io/v1", "ClusterRoleBinding"),
    ("rbac.authorization.k8s.io/v1", "RoleBinding"),
    ("policy/v1beta1", "PodSecurityPolicy"),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy"),
    ("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicyBinding"),
    ("apps/v1", "DaemonSet"),
)
# What the server writes into every object, whoever applies it.
_SERVERS_OWN = ("managedFields", "resourceVersion", "generation", "uid", "creationTimestamp")
_POLL_S = 2.0


async def check(objects: Door, setting: Setting) -> None:
    """Refuse where the cluster does not suit the add-ons, with every reason."""
    refusals = rivals(setting, await objects.list("apps/v1", "DaemonSet"))
    nodes = await objects.list("v1", "Node")
    refusals += [*azure_reasons(setting, nodes), *ovn_reasons(setting, nodes)]
    if setting.network.plugin == "calico":
        pools = await objects.list(calico_pools.API_VERSION, calico_pools.KIND)
        refusals += calico_pools.pool_reasons(setting, pools)
    hint = ""
    if setting.network.plugin == "flannel":
        live = await _live_flannel(objects)
        found = disagreements(setting, live)
        hint = remedy(setting, live) if found and live is not None else ""
        refusals += found
    if refusals:
        raise Refused(refusals, subject=f"add-ons of fleet {setting.fleet}", hint=hint)


async def diff(
    objects: Door, manifests: Sequence[Manifest], fleet: str, *, force: bool = False
) -> list[Change]:
    """What applying would do; nothing is stored."""
    changes = [await difference(objects, manifest, force=force) for manifest in manifests]
    return changes + [Change(name, Act.DELETE) async for name in _stale(objects, manifests, fleet)]


async def apply(
    objects: Door, manifests: Sequence[Manifest], fleet: str, *, force: bool = False
) -> list[Change]:
    """Apply what differs and delete what is no longer wanted."""
    changes = []
    for manifest in manifests:
        change = await difference(objects, manifest, force=force)
        if change.act is not Act.KEEP:
            await objects.apply(manifest, force=force)
        changes.append(change)
    stale = [name async for name in _stale(objects, manifests, fleet)]
    for name in stale:
        await objects.delete(name)
    return changes + [Change(name, Act.DELETE) for name in stale]


async def owned(objects: Door, fleet: str) -> list[Change]:
    """What deleting would do."""
    return [Change(name, Act.DELETE) async for name in _stale(objects, (), fleet)]


async def delete(objects: Door, fleet: str) -> list[Change]:
    """Delete everything that is this fleet's."""
    changes = await owned(objects, fleet)
    for change in changes:
        await objects.delete(change.name)
    return changes


async def await_rollout(
    objects: Door, manifests: Sequence[Manifest], clock: Clock, *, timeout_s: float
) -> None:
    """Wait until every DaemonSet runs on every node it is for; raise with those that do not."""
    after = f"after {timeout_s:.0f} s " if timeout_s else ""

    async def look() -> Turn:
        reasons = [reason async for reason in _unfinished(objects, manifests)]
        if not reasons:
            return None
        error = TemporaryError(
            f"{after}{'; '.join(reasons)}",
            hint="`kubectl -n transom-system get pods -o wide` shows where; "
            "`transom doctor` of such a host shows why",
        )
        return Waiting(error=error, poll_s=_POLL_S)

    await until(look, clock, deadline_s=timeout_s)


async def _unfinished(objects: Door, manifests: Sequence[Manifest]) -> AsyncIterator[str]:
    for name in map(name_of, manifests):
        if name.kind != "DaemonSet":
            continue
        live: Mapping[str, Any] = await objects.get(name) or {}
        status = live.get("status") or {}
        generation = (live.get("metadata") or {}).get("generation", 0)
        wanted = status.get("desiredNumberScheduled", 0)
        running = min(status.get("updatedNumberScheduled", 0), status.get("numberAvailable", 0))
        if status.get("observedGeneration", -1) < generation:
            yield f"{name} was not yet looked at by its controller"
        elif running < wanted:
            yield f"{name} runs on {running} of {wanted} nodes"


async def _live_flannel(objects: Door) -> Live | None:
    for name in flannel_config.PLACES:
        found = await objects.get(name)
        if found is not None:
            return Live(name, str((found.get("data") or {}).get(flannel_config.KEY, "")))
    return None


async def difference(objects: Door, manifest: Manifest, *, force: bool = False) -> Change:
    """What applying one manifest would do."""
    name = name_of(manifest)
    live = await objects.get(name)
    if live is None:
        return Change(name, Act.CREATE)
    after = await objects.apply(manifest, dry_run=True, force=force)
    fields = tuple(_fields(_plain(live), _plain(after)))
    return Change(name, Act.CHANGE if fields else Act.KEEP, fields)


async def _stale(
    objects: Door, manifests: Sequence[Manifest], fleet: str
) -> AsyncIterator[ObjectName]:
    wanted = {name_of(manifest)[1:] for manifest in manifests}
    for api_version, kind in reversed(KINDS):
        for item in await objects.list(api_version, kind, labels={**MANAGED_BY, FLEET: fleet}):
            if name_of(item)[1:] not in wanted:
                yield name_of(item)


def _plain(live: Manifest) -> dict[str, Any]:
    metadata = {k: v for k, v in live["metadata"].items() if k not in _SERVERS_OWN}
    return {**{k: v for k, v in live.items() if k != "status"}, "metadata": metadata}


def _fields(before: Any, after: Any, path: str = "") -> list[tuple[str, str, str]]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        keys = dict.fromkeys([*before, *after])
        return [
            found
            for key in keys
            for found in _fields(before.get(key), after.get(key), f"{path}.{key}".lstrip("."))
        ]
    if isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        pairs = enumerate(zip(before, after, strict=True))
        return [found for n, (b, a) in pairs for found in _fields(b, a, f"{path}[{n}]")]
    return [] if before == after else [(path, _said(before), _said(after))]


def _said(value: object) -> str:
    return "nothing" if value is None else str(value)
