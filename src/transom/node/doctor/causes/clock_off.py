"""The host's clock differs from the cluster's, or lies before its certificates."""

from collections.abc import Iterator

from transom.node.doctor.client_certificate import client_certificate
from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen

_TOLERATED_S = 300


def _examine(seen: Observation) -> Iterator[Trouble]:
    found = client_certificate(seen)
    if seen.cluster is not None and seen.cluster.time:
        off = seen.time - seen.cluster.time
        if abs(off) > _TOLERATED_S:
            word = "ahead of" if off > 0 else "behind"
            yield Trouble(
                subject="clock",
                message=f"the host's clock is {abs(off)} s {word} the cluster's",
                evidence=(f"host {seen.time}, cluster {seen.cluster.time}",),
            )
    elif found is not None and seen.time < found.not_before - _TOLERATED_S:
        yield Trouble(
            subject="clock",
            message=f"the host's clock is {found.not_before - seen.time} s before the kubelet's "
            "certificate was made",
            evidence=(f"host {seen.time}, certificate from {found.not_before}",),
            file=found.path,
        )


DIAGNOSIS = Diagnosis(
    id="clock-off",
    title="Clock wrong",
    symptom="The Node is NotReady; the kubelet logs `x509: certificate has expired or is not yet "
    "valid`.",
    cause="The clock of the host differs from the cluster's by more than five minutes.",
    remedy=Remedy(
        "Set the clock: `w32tm /resync /force`, and name a time server the host can reach with "
        "`w32tm /config /syncfromflags:manual /manualpeerlist:SERVER /update`.",
        "Nothing, if the clock is minutes off. A large step can end connections and expire "
        "tokens that running pods hold.",
    ),
    looks_at=("time", "certificates", "cluster"),
    seen=Seen.WINE,
    examine=_examine,
    hides=("certificate-expired", "node-not-ready"),
)
