"""The host network service does not answer."""

from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen


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
    remedy=Remedy(
        "Look first whether the service runs (`Get-Service hns`) and whether the Windows "
        "feature Containers is on. If it is stuck, drain the node (`kubectl drain NODE "
        "--ignore-daemonsets`), run `Restart-Service hns`, restart flanneld and kube-proxy, and "
        "delete the pods that are still on the node: they do not get their endpoints back.",
        "Every running pod on this node loses its endpoint, and with it its network, until it "
        "is created again; every balancer is gone, so that no Service answers from this node "
        "until kube-proxy has written them again.",
    ),
    looks_at=("hns",),
    seen=Seen.STAND_IN,
    examine=_examine,
    hides=("hns-network-missing", "hns-balancers-missing", "node-not-ready"),
)
