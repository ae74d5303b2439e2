"""The kubelet does not find the runtime at the pipe it was told."""

import re
from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.doctor.service_log import endings
from transom.node.engine.step import Seen

_SAID = re.compile(r'validate CRI v1 (?:runtime|image) API for endpoint "(?P<endpoint>[^"]+)"')


def _examine(seen: Observation) -> Iterator[Trouble]:
    for ending in endings(seen):
        match = _SAID.search(ending.said)
        if match is not None:
            served = [pipe for pipe in seen.pipes if pipe.startswith(("containerd", "docker"))]
            yield Trouble(
                subject=match["endpoint"],
                message=f"the kubelet finds no runtime at {match['endpoint']}",
                evidence=(ending.line, f"pipes there are: {', '.join(served) or 'none'}"),
                file=ending.path,
            )


DIAGNOSIS = Diagnosis(
    id="kubelet-runtime-unreachable",
    title="Runtime not where the kubelet looks",
    symptom="The service kubelet ends with `validate CRI v1 runtime API for endpoint`.",
    cause="`containerRuntimeEndpoint` or `--container-runtime-endpoint` names another pipe than the "
    "runtime serves.",
    remedy=Remedy(
        "Set `containerRuntimeEndpoint` in instance-config.yaml to the pipe the runtime serves, "
        "such as npipe:////./pipe/containerd-containerd, and start the kubelet.",
        "Nothing more: the kubelet is not running. Containers that run go on.",
    ),
    looks_at=("logs", "services", "pipes"),
    seen=Seen.UPSTREAM_BINARY,
    examine=_examine,
    hides=("service-stopped", "service-restarting", "node-not-ready"),
)
