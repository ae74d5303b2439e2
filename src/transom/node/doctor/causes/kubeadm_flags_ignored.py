"""The kubelet's command line lacks what kubeadm wrote for it."""

from collections.abc import Iterator

from transom.errors import TransomError
from transom.model.finding import Severity
from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.kubelet_command import reads_flags_file
from transom.node.doctor.observation import Observation
from transom.node.engine.step import Seen
from transom.node.kubernetes.kubelet_flags import parse_flags_file


def _examine(seen: Observation) -> Iterator[Trouble]:
    path, text = seen.text("\\kubeadm-flags.env")
    kubelet = seen.service("kubelet")
    if kubelet is None or not path:
        return
    try:
        flags = parse_flags_file(text)
    except TransomError as error:
        yield Trouble(subject=path, message=error.message, file=path)
        return
    missing = [flag for flag in flags if flag not in kubelet.arguments]
    if missing and not reads_flags_file(kubelet):
        yield Trouble(
            subject="kubelet",
            message=f"the kubelet does not get {' '.join(missing)}",
            evidence=(f"command line: {kubelet.command}",),
            file=path,
        )


DIAGNOSIS = Diagnosis(
    id="kubeadm-flags-ignored",
    title="kubeadm's flags do not reach the kubelet",
    symptom="The Node lacks its taints, labels or provider id, or has another address than asked "
    "for.",
    cause="A Windows service has a fixed command line, and this one does not read kubeadm-flags.env; or "
    "the file cannot be read.",
    remedy=Remedy(
        "`transom join ADDRESS` gives the service a command line that reads the file at each start. "
        "Where the file itself is damaged, write it again.",
        "Running containers go on; probes, `kubectl logs` and `kubectl exec` stop for the "
        "seconds of the restart.",
    ),
    looks_at=("texts", "services"),
    seen=Seen.UPSTREAM_BINARY,
    examine=_examine,
    severity=Severity.WARNING,
)
