"""Checks every day, by the cluster itself: a CronJob with its account, the rights it needs, and where results are kept. Pure."""

from dataclasses import field
from typing import Any

from transom.addons.manifest import MANAGED_BY, NAMESPACE
from transom.model.manifest import Manifest
from transom.model.records import dataclass

NAME = "transom-verify"
STORE = "/results/results.db"
REASONS = "transom.dev/reasons"
_RBAC = "rbac.authorization.k8s.io"
_USER = 65532
# Longer than a run takes, also with disruptive checks; a run that hangs is ended and cleaned up by the next.
_DEADLINE_S = 3 * 3600
# A run that is ended takes its namespaces away first.
_GRACE_S = 240


@dataclass(frozen=True, slots=True)
class Right:
    """One rule of the role, and why it is needed."""

    groups: tuple[str, ...]
    resources: tuple[str, ...]
    verbs: tuple[str, ...]
    reason: str


RIGHTS = (
    Right(("",), ("nodes",), ("get", "list"), "which Windows nodes there are, and how they are"),
    Right(("",), ("nodes/proxy",), ("get",), "the kubelet's figures and configuration"),
    Right(
        ("",), ("namespaces",), ("get", "list", "create", "delete"), "one namespace for each check"
    ),
    Right(("",), ("serviceaccounts",), ("get",), "a namespace is ready when it has its account"),
    Right(("",), ("pods",), ("get", "create"), "the pods of checks"),
    Right(
        ("",),
        ("pods/exec", "pods/portforward"),
        ("get", "create"),
        "programs and ports in these pods; which verb counts depends on the API server",
    ),
    Right(("",), ("pods/log",), ("get",), "what these pods write"),
    Right(("",), ("services",), ("get", "create"), "Services of checks, and the cluster's DNS"),
    Right(("",), ("secrets", "configmaps"), ("create",), "volumes of checks; none is ever read"),
    Right(("",), ("configmaps",), ("patch",), "a ConfigMap that changes while a pod runs"),
    Right(("discovery.k8s.io",), ("endpointslices",), ("create",), "a Service of many endpoints"),
    Right(
        ("discovery.k8s.io",),
        ("endpointslices/restricted",),
        ("create",),
        "endpoints of ours, where that is restricted",
    ),
    Right(("node.k8s.io",), ("runtimeclasses",), ("list",), "which isolation there is"),
    Right(("metrics.k8s.io",), ("nodes",), ("get",), "whether metrics-server has the node"),
)
CONDITIONS = Right(("",), ("nodes/status",), ("patch",), "the condition TransomVerified")


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """When checks run, with what, and where their results go.

    `arguments` are those of `transom verify run`. With a bucket its credentials come from the Secret
    `credentials`; else, or with `volume_size`, results are on a volume.
    """

    image: str
    cron: str = "0 4 * * *"
    time_zone: str = ""
    namespace: str = NAMESPACE
    arguments: tuple[str, ...] = field(default=())
    node_conditions: bool = False
    bucket: str = ""
    credentials: str = ""
    volume_size: str = ""
    storage_class: str = ""

    @property
    def has_volume(self) -> bool:
        """Whether results are kept on a volume."""
        return bool(self.volume_size) or not self.bucket


def manifests(schedule: Schedule) -> list[Manifest]:
    """Everything, in the order in which it is applied."""
    labels = {"app.kubernetes.io/name": NAME, **MANAGED_BY}
    place = {"name": NAME, "namespace": schedule.namespace, "labels": labels}
    whole = {"name": f"transom:{NAME}", "labels": labels}
    return [
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": schedule.namespace}},
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": place},
        _role(schedule, whole),
        {
            "apiVersion": f"{_RBAC}/v1",
            "kind": "ClusterRoleBinding",
            "metadata": whole,
            "roleRef": {"apiGroup": _RBAC, "kind": "ClusterRole", "name": whole["name"]},
            "subjects": [{"kind": "ServiceAccount", "name": NAME, "namespace": schedule.namespace}],
        },
        *([_volume(schedule, place)] if schedule.has_volume else ()),
        _cron_job(schedule, place),
    ]


def _role(schedule: Schedule, metadata: dict[str, Any]) -> Manifest:
    rights = (*RIGHTS, *((CONDITIONS,) if schedule.node_conditions else ()))
    reasons = "\n".join(f"{', '.join(right.resources)}: {right.reason}" for right in rights)
    return {
        "apiVersion": f"{_RBAC}/v1",
        "kind": "ClusterRole",
        "metadata": {**metadata, "annotations": {REASONS: reasons}},
        "rules": [
            {
                "apiGroups": list(right.groups),
                "resources": list(right.resources),
                "verbs": list(right.verbs),
            }
            for right in rights
        ],
    }


def _volume(schedule: Schedule, metadata: dict[str, Any]) -> Manifest:
    named = {"storageClassName": schedule.storage_class} if schedule.storage_class else {}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": metadata,
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": schedule.volume_size or "1Gi"}},
            **named,
        },
    }


def _cron_job(schedule: Schedule, metadata: dict[str, Any]) -> Manifest:
    zone = {"timeZone": schedule.time_zone} if schedule.time_zone else {}
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": metadata,
        "spec": {
            "schedule": schedule.cron,
            **zone,
            "concurrencyPolicy": "Forbid",
            "successfulJobsHistoryLimit": 3,
            "failedJobsHistoryLimit": 7,
            "jobTemplate": {
                "spec": {
                    "backoffLimit": 0,
                    "activeDeadlineSeconds": _DEADLINE_S,
                    "template": {
                        "metadata": {"labels": metadata["labels"]},
                        "spec": _pod(schedule),
                    },
                }
            },
        },
    }


def _pod(schedule: Schedule) -> dict[str, Any]:
    container: dict[str, Any] = {
        "name": "verify",
        "image": schedule.image,
        "args": [*command(schedule)],
        "env": [{"name": "HOME", "value": "/tmp"}],  # noqa: S108 - an emptyDir of the pod's own
        "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}],  # noqa: S108 - same
        "resources": {
            "requests": {"cpu": "100m", "memory": "128Mi"},
            "limits": {"memory": "512Mi"},
        },
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
    }
    volumes: list[dict[str, Any]] = [{"name": "tmp", "emptyDir": {}}]
    if schedule.bucket and schedule.credentials:
        container["envFrom"] = [{"secretRef": {"name": schedule.credentials}}]
    if schedule.has_volume:
        container["volumeMounts"].append({"name": "results", "mountPath": "/results"})
        volumes.append({"name": "results", "persistentVolumeClaim": {"claimName": NAME}})
    return {
        "serviceAccountName": NAME,
        "restartPolicy": "Never",
        "terminationGracePeriodSeconds": _GRACE_S,
        "nodeSelector": {"kubernetes.io/os": "linux"},
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": _USER,
            "runAsGroup": _USER,
            "fsGroup": _USER,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        "containers": [container],
        "volumes": volumes,
    }


def command(schedule: Schedule) -> tuple[str, ...]:
    """What the container runs."""
    return (
        *("verify", "run", *schedule.arguments),
        *(("--node-conditions",) if schedule.node_conditions else ()),
        *(("--bucket", schedule.bucket) if schedule.bucket else ()),
        *(("--store", STORE) if schedule.has_volume else ()),
    )
