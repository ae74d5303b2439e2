"""Every reason why a fleet cannot work, each one a small function that yields refusals.

Called by the resolver before anything is made. Functions only look at a case or a fleet; they
never change it, and none hides what another finds.
"""

from collections.abc import Callable, Iterator

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

CASE_CHECKS: tuple[Callable[[Case], Iterator[Refusal]], ...] = (
    host.control_plane,
    host.names,
    host.reference_versions,
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


def refuse_case(case: Case) -> Iterator[Refusal]:
    """The reasons that concern one host."""
    for check in CASE_CHECKS:
        yield from check(case)
