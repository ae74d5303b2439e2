"""The kubelet ends because its configuration file is missing, unreadable or wrong."""

import re
from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.doctor.service_log import endings
from transom.node.engine.step import Seen

_FILE = re.compile(r"failed to load [Kk]ubelet config file,? ?(?:path: )?(?P<path>[^,\s]*)")
_INVALID = re.compile(r"failed to validate kubelet configuration, error: (?P<why>.+?)(?:, path:|$)")
_CGROUPS = re.compile(
    r"invalid configuration: .*(?:CgroupsPerQOS|EnforceNodeAllocatable)|"
    r"(?:CgroupsPerQOS|EnforceNodeAllocatable) .* is not supported on Windows$"
)
_SWAP = re.compile(r"running with swap on is not supported")


def _examine(seen: Observation) -> Iterator[Trouble]:
    for ending in endings(seen):
        said = ending.said
        fix: Remedy | None = None
        if ending.service != "kubelet":
            continue
        if _CGROUPS.search(said):
            text = "the kubelet's configuration asks for control groups, which Windows has not"
            fix = Remedy(
                "Set `cgroupsPerQOS: false` and `enforceNodeAllocatable: []` for this version.",
                DIAGNOSIS.remedy.interrupts,
            )
        elif _SWAP.search(said):
            text = "the kubelet refuses to run beside a page file"
            fix = Remedy(
                "Set `failSwapOn: false`: a Windows host always has a page file.",
                DIAGNOSIS.remedy.interrupts,
            )
        elif match := _INVALID.search(said):
            text = f"the kubelet's configuration is not valid: {match['why']}"
        elif match := _FILE.search(said):
            why = said.rpartition("error: ")[2] or said
            text = f"the kubelet cannot load {match['path'] or 'its configuration'}: {why}"
        else:
            continue
        yield Trouble(
            subject="kubelet", message=text, evidence=(ending.line,), file=ending.path, remedy=fix
        )


DIAGNOSIS = Diagnosis(
    id="kubelet-configuration",
    title="Kubelet configuration refused",
    symptom="The service kubelet ends right after it starts; a join times out on its health port.",
    cause="config.yaml is missing, is no KubeletConfiguration, or has a value that this version or "
    "Windows does not take.",
    remedy=Remedy(
        "Correct the value it names, or write the file anew with `kubeadm upgrade node`.",
        "Nothing more: the kubelet is not running. Containers that run go on.",
    ),
    looks_at=("logs", "services"),
    seen=Seen.UPSTREAM_BINARY,
    examine=_examine,
    hides=("service-stopped", "service-restarting", "node-not-ready"),
)
