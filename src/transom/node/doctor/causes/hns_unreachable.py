"""The host network service does not answer."""

from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Trouble
from transom.node.doctor.observation import Observation
from transom.node.step import Seen


def _examine(seen: Observation) -> Iterator[Trouble]:
    if seen.hns.problem:
        yield Trouble(
            subject="hns",
            message=f"the host network service cannot be asked: {seen.hns.problem}",
            evidence=(seen.hns.problem,),
        )


DIAGNOSIS = Diagnosis(
    id="hns-unreachable",
    title="Host network service does not answer",
    symptom="Pods stay in ContainerCreating; kube-proxy and flanneld wait or end.",
    cause="The service hns is stopped or stuck, or the Windows feature Containers is off.",
    remedy="Restart the service: `Restart-Service hns`; then restart flanneld and kube-proxy, whose "
    "networks it may have lost.",
    looks_at=("hns",),
    seen=Seen.STAND_IN,
    examine=_examine,
    hides=("hns-network-missing", "node-not-ready"),
)
