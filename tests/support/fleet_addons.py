"""Objects of a cluster that add-ons meet."""

import json
from typing import Any

BACKEND = {"Type": "vxlan", "VNI": 4096, "Port": 4789}

GOOD: dict[str, Any] = {"Network": "10.244.0.0/16", "Backend": BACKEND}


def flannel(conf, namespace="kube-flannel"):
    text = conf if isinstance(conf, str) else json.dumps(conf)
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "kube-flannel-cfg", "namespace": namespace},
        "data": {"net-conf.json": text},
    }


def daemon_set(name, *, image="x", **pod):
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": name, "namespace": "kube-system"},
        "spec": {"template": {"spec": {"containers": [{"name": "a", "image": image}], **pod}}},
    }
