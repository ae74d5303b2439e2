"""A route that was kept for this host is not in use: mostly that to the cloud's metadata."""

from collections.abc import Iterator

from transom.node.doctor.diagnosis import NOTHING, Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen


def _examine(seen: Observation) -> Iterator[Trouble]:
    kept = {route.prefix for route in seen.recipe.routes if route.keep} if seen.recipe else set()
    for route in seen.routes:
        wanted = route.prefix not in kept or route.gateway or route.prefix in seen.journal.routes
        if wanted and not route.active:
            yield Trouble(
                subject=route.prefix,
                message=f"the route to {route.prefix} is not in use",
                evidence=(f"stored with gateway {route.gateway or 'none'}",),
            )


DIAGNOSIS = Diagnosis(
    id="route-lost",
    title="Route lost",
    symptom="The kubelet or a credential provider does not reach the cloud's metadata service; "
    "nodes of a cloud do not become Ready after a reboot.",
    cause="Making a network in the host network service drops routes of the adapter it takes over.",
    remedy=Remedy(
        "Add the route again and keep it: `route -p add PREFIX mask MASK GATEWAY`; `transom "
        "join ADDRESS` does so.",
        NOTHING,
    ),
    looks_at=("routes", "journal", "recipe"),
    seen=Seen.SIMULATED,
    examine=_examine,
)
