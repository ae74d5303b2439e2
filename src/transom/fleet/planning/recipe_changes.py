"""What another recipe does to a node that was made by one: which steps would change something, and how that is felt.

Pure: two recipes are compared, no host is asked. A step looks at some parts of a recipe; where those differ
it has something to do. What that does to running pods is the engine's own table.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from transom.model.disruption import Disruption, worst
from transom.model.recipe import Artifact, File, Recipe, Service
from transom.model.records import dataclass
from transom.model.step_id import StepId
from transom.node.engine.disruption import RUNTIMES, of_replacing, of_step


@dataclass(frozen=True, slots=True, kw_only=True)
class StepChange:
    """A step that would have something to do, what to, and what pods feel of it."""

    step: StepId
    subjects: tuple[str, ...]
    disruption: Disruption


# Steps that change what a part of the recipe lists, entry by entry, by what an entry is called.
_LISTS: Mapping[StepId, tuple[str, str]] = {
    StepId.FEATURES: ("features", "name"),
    StepId.DIRECTORIES: ("directories", "path"),
    StepId.ENVIRONMENT: ("environment", "name"),
    StepId.REGISTRY: ("registry", "name"),
    StepId.ROUTES: ("routes", "prefix"),
    StepId.FIREWALL: ("firewall", "name"),
    StepId.DEFENDER: ("defender_exclusions", "process"),
    StepId.HOST_NETWORKS: ("host_networks", "name"),
    StepId.PROTECTED_FILES: ("protected_files", "path"),
}


def changes_between(before: Recipe, after: Recipe) -> tuple[StepChange, ...]:
    """The steps that would change a node of one recipe to another, in the order they are made."""
    found = [
        *_computer_name(before, after),
        *_lists(before, after),
        *_dns_suffixes(before, after),
        *_programs_on_disk(before, after),
        *_files(before, after),
        *_services(before, after),
        *_kubelet(before, after),
    ]
    order = [*StepId]
    return tuple(sorted(found, key=lambda change: order.index(change.step)))


def disruption_of(changes: Sequence[StepChange]) -> Disruption:
    """The worst that pods feel of them."""
    return worst(change.disruption for change in changes)


def _change(step: StepId, subjects: Sequence[str], felt: Disruption | None = None) -> StepChange:
    return StepChange(
        step=step, subjects=tuple(subjects), disruption=of_step(step) if felt is None else felt
    )


def _differing(before: Sequence[Any], after: Sequence[Any], name: str) -> list[Any]:
    """The entries that are new or other; what is gone is left where it is."""
    # Why an entry is there changes nothing on a host.
    known = [replace(item, why="") for item in before]
    return [item for item in after if replace(item, why="") not in known and getattr(item, name)]


def _computer_name(before: Recipe, after: Recipe) -> Iterator[StepChange]:
    if after.identity.rename and before.identity.name != after.identity.name:
        yield _change(StepId.COMPUTER_NAME, [after.identity.name])


def _lists(before: Recipe, after: Recipe) -> Iterator[StepChange]:
    for step, (part, name) in _LISTS.items():
        found = _differing(getattr(before, part), getattr(after, part), name)
        if found:
            yield _change(step, [str(getattr(item, name)) for item in found])


def _dns_suffixes(before: Recipe, after: Recipe) -> Iterator[StepChange]:
    added = [suffix for suffix in after.dns_suffixes if suffix not in before.dns_suffixes]
    if added:
        yield _change(StepId.DNS_SUFFIXES, added)


def _programs_on_disk(before: Recipe, after: Recipe) -> Iterator[StepChange]:
    """Other bytes: a recipe without a lock tells them by version, and by the address that a fleet names itself."""
    step = (
        StepId.UPGRADE if before.target.kubernetes != after.target.kubernetes else StepId.ARTIFACTS
    )
    known = {_bytes_of(item) for item in before.artifacts}
    found = [item for item in after.artifacts if _bytes_of(item) not in known]
    if found:
        paths = [path for item in found for path in _paths(item)]
        yield _change(step, [f"{item.id} {item.version}" for item in found], of_replacing(paths))


def _bytes_of(artifact: Artifact) -> tuple[object, ...]:
    # Another address of the facts is a mirror's, which has the same bytes.
    named = "" if artifact.why.startswith("artifact-") else artifact.url or artifact.file
    own = artifact.sha256 or f"{artifact.version} {named}"
    signature = tuple(sorted((artifact.authenticode or {}).items()))
    members = tuple((member.name, member.path) for member in artifact.members)
    return artifact.id, own, artifact.path, members, signature


def _paths(artifact: Artifact) -> list[str]:
    return [member.path for member in artifact.members] or [artifact.path]


def _files(before: Recipe, after: Recipe) -> Iterator[StepChange]:
    found: list[File] = _differing(before.files, after.files, "path")
    early = [item.path for item in found if not item.fills]
    late = [item.path for item in found if item.fills]
    if early:
        yield _change(StepId.FILES, early, of_replacing(early))
    if late:
        yield _change(StepId.LATE_FILES, late)


def _services(before: Recipe, after: Recipe) -> Iterator[StepChange]:
    found: list[Service] = _differing(before.services, after.services, "name")
    native = [item.name for item in found if not item.runs]
    if native:
        felt = Disruption.PODS_STOP if {*native} & {*RUNTIMES} else None
        yield _change(StepId.SERVICES, native, felt)
    programs = [item.name for item in found if item.runs]
    programs += [item.name for item in _differing(before.programs, after.programs, "name")]
    if programs:
        yield _change(StepId.PROGRAM_SERVICES, sorted({*programs}))


def _kubelet(before: Recipe, after: Recipe) -> Iterator[StepChange]:
    """Where kubeadm takes a patch the settings are in a file; flags are given once, by the join."""
    keys = _differing_keys(before.kubelet.config, after.kubelet.config)
    if keys and not after.kubelet.patch_file:
        yield _change(StepId.KUBELET_SETTINGS, keys)
    services = _differing(before.services, after.services, "flags_file")
    if services:
        yield _change(StepId.KUBELET_ARGUMENTS, [service.name for service in services])


def kubelet_lacks(before: Recipe, after: Recipe) -> bool:
    """Whether the kubelet of a node goes on without what differs: settings of a patch, and flags."""
    settings = before.kubelet.config != after.kubelet.config and bool(after.kubelet.patch_file)
    return settings or before.join.kubelet_extra_args != after.join.kubelet_extra_args


def _differing_keys(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    return sorted(key for key in {*before, *after} if before.get(key) != after.get(key))
