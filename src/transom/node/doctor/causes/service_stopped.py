"""A service that should always run does not."""

from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import COMING, RUNNING, Observation
from transom.node.doctor.service_log import ending_of
from transom.node.engine.step import Seen

_AUTOMATIC = ("auto", "delayed-auto")


def _examine(seen: Observation) -> Iterator[Trouble]:
    wanted = {service.name for service in seen.recipe.services} if seen.recipe else set()
    for name in sorted(wanted - {service.name for service in seen.services}):
        if seen.journal.joined:
            yield Trouble(subject=name, message=f"there is no service {name}")
    for service in seen.services:
        if service.name in ("containerd", "docker"):
            continue  # runtime-stopped says it
        matters = service.start in _AUTOMATIC or service.name in wanted
        if matters and service.state not in (RUNNING, *COMING):
            ending = ending_of(seen, service.name)
            why = f": {ending.said}" if ending else ""
            yield Trouble(
                subject=service.name,
                message=f"the service {service.name} is {service.state}{why}",
                evidence=(ending.line,) if ending else (f"exit code {service.exit_code}",),
                file=ending.path if ending else "",
            )


DIAGNOSIS = Diagnosis(
    id="service-stopped",
    title="Service stopped",
    symptom="The Node is NotReady (`Kubelet stopped posting node status`), or Services do not "
    "answer from this host.",
    cause="A service that starts with Windows was stopped or paused, or ended and was not started "
    "again.",
    remedy=Remedy(
        "Start it with `Start-Service NAME`; where it ends again, the end of its log says why.",
        "Nothing more for a service that is stopped. When kube-proxy starts it deletes the "
        "balancers that are left and writes them again: Services do not answer from this node "
        "meanwhile.",
    ),
    looks_at=("services", "logs", "journal", "recipe"),
    seen=Seen.UPSTREAM_BINARY,
    examine=_examine,
    hides=("hns-balancers-missing", "node-not-ready"),
)
