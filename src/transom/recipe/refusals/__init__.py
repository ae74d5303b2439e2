"""Every reason why a fleet cannot work, each one a small function that yields refusals.

Functions only look at a case or a fleet; they
never change it, and none hides what another finds.
"""

from collections.abc import Callable, Iterable, Iterator

from transom.model.fleet import Fleet
from transom.model.problem import Refusal
from transom.recipe.case import Case
from transom.recipe.refusals import fleet as of_fleet
from transom.recipe.refusals import host, kubelet, network, runtime
from transom.recipe.shape import Shape

FLEET_CHECKS: tuple[Callable[[Fleet], Iterator[Refusal]], ...] = (
    of_fleet.overlapping_ranges,
    of_fleet.hosts_inside_ranges,
    of_fleet.dns_outside_services,
    of_fleet.colliding_names,
    of_fleet.unknown_artifacts,
)

# What one host may be refused for, and another of its shape not.
NAME_CHECKS: tuple[Callable[[Case], Iterator[Refusal]], ...] = (host.names,)

CASE_CHECKS: tuple[Callable[[Case], Iterator[Refusal]], ...] = (
    *NAME_CHECKS,
    host.windows_release,
    host.skew,
    host.pause_image,
    host.reserved_labels,
    runtime.two_runtimes,
    runtime.docker,
    runtime.containerd,
    runtime.config_patch,
    runtime.privileged,
    runtime.hyperv,
    network.plugin,
    network.vxlan,
    network.address_families,
    kubelet.kubelet_fields,
    kubelet.kubelet_types_of_fields,
    kubelet.kubelet_flags,
    kubelet.owned_flags,
    kubelet.gates,
)


def refuse_fleet(fleet: Fleet) -> Iterator[Refusal]:
    """The reasons that concern the fleet as a whole."""
    for check in FLEET_CHECKS:
        yield from check(fleet)


def refuse_cases(cases: Iterable[Case]) -> Iterator[Refusal]:
    """The reasons that concern single hosts; a shape without a fault is judged once."""
    faultless = set[Shape]()
    for case in cases:
        checks = NAME_CHECKS if case.shape in faultless else CASE_CHECKS
        # Of a version the facts do not cover nothing else can be judged.
        found = [*host.reference_versions(case)] or [
            reason for check in checks for reason in check(case)
        ]
        if not found:
            faultless.add(case.shape)
        yield from found
