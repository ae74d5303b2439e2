"""A volume of the kubelet or the runtime is nearly full."""

from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Trouble
from transom.node.doctor.observation import Observation
from transom.node.step import Seen

# The kubelet evicts pods below a tenth of nodefs unless its configuration says otherwise.
_LEAST = 0.10
_GIB = 1 << 30


def _examine(seen: Observation) -> Iterator[Trouble]:
    for volume in seen.volumes:
        if volume.total_bytes and volume.free_bytes < volume.total_bytes * _LEAST:
            yield Trouble(
                subject=volume.path[:2],
                message=f"{volume.path[:2]} has {volume.free_bytes / _GIB:.1f} GiB left of "
                f"{volume.total_bytes / _GIB:.1f}",
                evidence=(f"{volume.free_bytes} of {volume.total_bytes} bytes free",),
            )


DIAGNOSIS = Diagnosis(
    id="disk-pressure",
    title="Disk nearly full",
    symptom="Pods are evicted or stay Pending, the Node has the condition DiskPressure, services "
    "cannot write their logs.",
    cause="Less than a tenth of a volume that the kubelet or the runtime fills is free.",
    remedy="Remove unused images (`crictl rmi --prune`) and old logs, or enlarge the volume.",
    looks_at=("volumes",),
    seen=Seen.SIMULATED,
    examine=_examine,
    hides=("node-not-ready",),
)
