"""Every reason why a fleet cannot work, each one a small function that yields refusals.

Called by the resolver before anything is made. Functions only look at a case or a fleet; they
never change it, and none hides what another finds.
"""

from collections.abc import Callable, Iterable, Iterator

from transom.model.fleet import Fleet
from transom.model.problem import Refusal
from transom.recipe.case import Case
from transom.recipe.refusals import fleet as of_fleet
from transom.recipe.refusals import host, kubelet, network, runtime

FLEET_CHECKS: tuple[Callable[[Fleet], Iterator[Refusal]], ...] = (
    of_fleet.overlapping_ranges,
    of_fleet.hosts_inside_ranges,
    of_fleet.dns_outside_services,
    of_fleet.colliding_names,
    of_fleet.unknown_artifacts,
)

# What a host may be refused for that one like it, but for its name and address, is not.
NAME_CHECKS: tuple[Callable[[Case], Iterator[Refusal]], ...] = (host.names,)

CASE_CHECKS: tuple[Callable[[Case], Iterator[Refusal]], ...] = (
    host.control_plane,
    *NAME_CHECKS,
    host.windows_release,
    host.skew,
    host.pause_image,
    runtime.two_runtimes,
    runtime.docker,
    runtime.containerd,
    runtime.privileged,
    runtime.hyperv,
    network.plugin,
    network.vxlan,
    network.address_families,
    kubelet.kubelet_fields,
    kubelet.kubelet_flags,
    kubelet.gates,
)


def refuse_fleet(fleet: Fleet) -> Iterator[Refusal]:
    """The reasons that concern the fleet as a whole."""
    for check in FLEET_CHECKS:
        yield from check(fleet)


def refuse_cases(cases: Iterable[Case]) -> Iterator[Refusal]:
    """The reasons that concern single hosts; what a host shares with a faultless one is not judged again."""
    faultless: set[str] = set()
    for case in cases:
        is_judged = case.like is not None and case.like.host.name in faultless
        checks = NAME_CHECKS if is_judged else CASE_CHECKS
        # Of a version the facts do not cover nothing else can be judged.
        found = [*host.reference_versions(case)] or [
            reason for check in checks for reason in check(case)
        ]
        if not found:
            faultless.add(case.host.name)
        yield from found
