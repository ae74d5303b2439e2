"""Objects of Cluster API as its two contracts write them: names, references and arguments."""

from collections.abc import Mapping
from typing import Any

from transom.capi.wish import Wish
from transom.model.manifest import Manifest

BOOTSTRAP = "bootstrap.cluster.x-k8s.io"
CORE = "cluster.x-k8s.io"
CONTROL_PLANE = "controlplane.cluster.x-k8s.io"
CLUSTER = "${CLUSTER_NAME}"
NAMESPACE = "${NAMESPACE:=default}"
VERSION = "${KUBERNETES_VERSION}"


def named(suffix: str) -> str:
    """The name of one of the cluster's things."""
    return f"{CLUSTER}-{suffix}" if suffix else CLUSTER


def made(api: str, kind: str, name: str, spec: Mapping[str, Any]) -> Manifest:
    """An object of the cluster."""
    labels = {"cluster.x-k8s.io/cluster-name": CLUSTER}
    metadata = {"name": name, "namespace": NAMESPACE, "labels": labels}
    return {"apiVersion": api, "kind": kind, "metadata": metadata, "spec": dict(spec)}


def reference(wish: Wish, api: str, kind: str, name: str) -> dict[str, str]:
    """A reference to an object; the newer contract names its group only."""
    if wish.is_old_contract:
        return {"apiVersion": api, "kind": kind, "name": name}
    return {"apiGroup": api.partition("/")[0], "kind": kind, "name": name}


def arguments(wish: Wish, values: Mapping[str, str]) -> Any:
    """Arguments of a component: a mapping in the older contract, a list in the newer."""
    if wish.is_old_contract:
        return dict(values)
    return [{"name": name, "value": value} for name, value in sorted(values.items())]


def rolling(wish: Wish) -> dict[str, Any]:
    """How machines are replaced: never changed, and by default a new one joins before an old one goes."""
    update = {"maxSurge": wish.surge, "maxUnavailable": wish.unavailable}
    strategy = {"type": "RollingUpdate", "rollingUpdate": update}
    return {"strategy": strategy} if wish.is_old_contract else {"rollout": {"strategy": strategy}}
