"""The container runtime that the kubelet needs does not run."""

from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import COMING, RUNNING, Observation
from transom.node.doctor.service_log import ending_of
from transom.node.engine.step import Seen

_RUNTIMES = ("containerd", "docker")


def _examine(seen: Observation) -> Iterator[Trouble]:
    wanted = seen.recipe.target.runtime if seen.recipe is not None else ""
    there = [service for service in seen.services if service.name in _RUNTIMES]
    if wanted:
        there = [service for service in there if service.name == wanted]
        if not there and seen.journal.joined:
            yield Trouble(subject=wanted, message=f"there is no service {wanted}")
    if there and all(service.state not in (RUNNING, *COMING) for service in there):
        for service in there:
            ending = ending_of(seen, service.name)
            yield Trouble(
                subject=service.name,
                message=f"the service {service.name} is {service.state}"
                + (f": {ending.said}" if ending else ""),
                evidence=(ending.line,) if ending else (f"exit code {service.exit_code}",),
                file=ending.path if ending else "",
            )


DIAGNOSIS = Diagnosis(
    id="runtime-stopped",
    title="Container runtime stopped",
    symptom="The Node is NotReady with `container runtime is down` or `PLEG is not healthy`; the "
    "kubelet does not start.",
    cause="The service of the runtime was stopped, did not start, or was removed.",
    remedy=Remedy(
        "Start it: `Start-Service containerd`. Where it ends again, its log says why; "
        "`containerd.exe config dump` shows what it makes of its configuration.",
        "Nothing more: no pod can start or end while the runtime is stopped.",
    ),
    looks_at=("services", "logs", "journal", "recipe"),
    seen=Seen.STAND_IN,
    examine=_examine,
    hides=(
        "kubelet-runtime-unreachable",
        "service-stopped",
        "service-restarting",
        "node-not-ready",
    ),
)
