"""A service ends again and again."""

from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.doctor.service_log import ending_of
from transom.node.engine.step import Seen

_LOOP = 3


def _examine(seen: Observation) -> Iterator[Trouble]:
    for service in seen.services:
        ending = ending_of(seen, service.name)
        if ending is not None and ending.times >= _LOOP:
            yield Trouble(
                subject=service.name,
                message=f"the service {service.name} ended {ending.times} times without coming to "
                f"run: {ending.said}",
                evidence=(ending.line, f"it is {service.state} now"),
                file=ending.path,
            )


DIAGNOSIS = Diagnosis(
    id="service-restarting",
    title="Service in a restart loop",
    symptom="A service is now running, now stopped; the Node flaps or is NotReady.",
    cause="The program ends by itself and the service manager starts it again each time.",
    remedy=Remedy(
        "The last line of its log says why it ends; correct that and restart the service.",
        "Restarting the kubelet or containerd leaves running containers alone. Restarting "
        "kube-proxy deletes every balancer: no Service answers from this node until it has "
        "written all of them again, which takes seconds, and minutes with thousands of "
        "Services.",
    ),
    looks_at=("logs", "services"),
    seen=Seen.UPSTREAM_BINARY,
    examine=_examine,
    hides=("service-stopped", "hns-balancers-missing", "node-not-ready"),
)
