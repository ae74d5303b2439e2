"""A volume of the kubelet or the runtime is nearly full."""

import re
from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Trouble
from transom.node.doctor.observation import Observation
from transom.node.step import Seen

_THRESHOLD = re.compile(r"(?m)^\s+(?:nodefs|imagefs)\.available: [\"']?(?P<percent>\d+)%")
_LEAST_PERCENT = 10
_GIB = 1 << 30


def _examine(seen: Observation) -> Iterator[Trouble]:
    path, text = seen.text("\\config.yaml")
    named = [int(match["percent"]) for match in _THRESHOLD.finditer(text)]
    percent = max(named, default=_LEAST_PERCENT)
    for volume in seen.volumes:
        if volume.free_bytes * 100 < volume.total_bytes * percent:
            yield Trouble(
                subject=volume.path[:2],
                message=f"{volume.path[:2]} has {volume.free_bytes / _GIB:.1f} GiB left of "
                f"{volume.total_bytes / _GIB:.1f}, less than {percent} %",
                evidence=(f"{volume.free_bytes} of {volume.total_bytes} bytes free",),
                file=path if named else "",
            )


DIAGNOSIS = Diagnosis(
    id="disk-pressure",
    title="Disk nearly full",
    symptom="Pods are evicted or stay Pending, the Node has the condition DiskPressure, services "
    "cannot write their logs.",
    cause="Less of a volume is free than the kubelet's `evictionHard` asks for, or less than a "
    "tenth where it says nothing.",
    remedy="Remove unused images (`crictl rmi --prune`) and old logs, or enlarge the volume.",
    looks_at=("volumes", "texts"),
    seen=Seen.UPSTREAM_BINARY,
    examine=_examine,
    hides=("node-not-ready",),
)
