"""A program that was installed by its hash is missing or is not that program any more."""

from collections.abc import Iterator

from transom.node.doctor.diagnosis import Diagnosis, Remedy, Trouble
from transom.node.doctor.observation import ABSENT, Observation
from transom.node.engine.step import Seen


def _examine(seen: Observation) -> Iterator[Trouble]:
    for item in seen.paths:
        if not item.wanted_sha256 or item.sha256 == item.wanted_sha256:
            continue
        if item.kind == ABSENT:
            yield Trouble(
                subject=item.path,
                message=f"{item.path} is gone since it was installed",
                file=item.path,
                remedy=Remedy(
                    "Look whether a virus scanner took it; `transom join ADDRESS` brings it back.",
                    "Nothing more: the service that needs the program cannot start without it.",
                ),
            )
        elif item.sha256:
            yield Trouble(
                subject=item.path,
                message=f"{item.path} is not the program that was installed",
                evidence=(f"sha256 {item.sha256}", f"installed {item.wanted_sha256}"),
                file=item.path,
            )


DIAGNOSIS = Diagnosis(
    id="binary-changed",
    title="Program changed since it was installed",
    symptom="A service does not start, or the Node reports another version than was installed.",
    cause="Somebody or something replaced or removed a program that was pinned by its SHA-256.",
    remedy=Remedy(
        "Find out who changed it; `transom join ADDRESS` puts the pinned program back.",
        "The service whose program is replaced restarts: containerd and the kubelet leave "
        "running containers alone; kube-proxy deletes its balancers and writes them again, so "
        "that Services do not answer from this node meanwhile.",
    ),
    looks_at=("paths", "recipe"),
    seen=Seen.UPSTREAM_BINARY,
    examine=_examine,
    hides=("service-stopped", "service-restarting", "node-not-ready"),
)
