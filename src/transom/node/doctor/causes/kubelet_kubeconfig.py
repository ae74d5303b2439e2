"""The kubelet has no credential: its kubeconfig and the one of the join are both missing."""

import re
from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import Observation
from transom.node.doctor.service_log import endings
from transom.node.engine.step import Seen

_SAID = re.compile(
    r"unable to load bootstrap kubeconfig|invalid kubeconfig|invalid configuration: no "
    r"configuration has been provided|unable to (?:read|load) client(?:-cert| config)|"
    r"error loading config file"
)


def _examine(seen: Observation) -> Iterator[Trouble]:
    for ending in endings(seen):
        if ending.service == "kubelet" and _SAID.search(ending.said):
            yield Trouble(
                subject="kubelet",
                message="the kubelet has no usable credential: "
                + ending.said.removeprefix("failed to run Kubelet: "),
                evidence=(ending.line,),
                file=ending.path,
            )


DIAGNOSIS = Diagnosis(
    id="kubelet-kubeconfig",
    title="Kubelet without a credential",
    symptom="The service kubelet ends right after it starts and the Node is NotReady.",
    cause="kubelet.conf was removed or damaged and the bootstrap credential of the join is gone, as "
    "it should be.",
    remedy=Remedy(
        "Give the kubelet a fresh bootstrap credential. Run `kubeadm token create` on a control "
        "plane node, put a kubeconfig for the cluster that has the token as `token` at "
        "C:\\etc\\kubernetes\\bootstrap-kubelet.conf, remove a damaged kubelet.conf, and run "
        "`Restart-Service kubelet`: it requests a new certificate. Delete the bootstrap "
        "kubeconfig when the Node is Ready.",
        "Nothing more: the kubelet is not running. Running containers go on.",
    ),
    looks_at=("logs", "services"),
    seen=Seen.UPSTREAM_BINARY,
    examine=_examine,
    hides=("service-stopped", "service-restarting", "node-not-ready"),
)
