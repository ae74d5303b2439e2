"""Calico on Windows nodes: what the Tigera operator's own objects must say.

These objects are the cluster's, not ours: only the fields here are applied, nothing of it is ever
deleted, and they carry none of our labels.
"""

from collections.abc import Iterator
from typing import Any

from transom.addons.setting import Setting
from transom.model.manifest import Manifest


def calico(setting: Setting) -> Iterator[Manifest]:
    """The address of the API server, strict affinity, and the Installation's Windows part."""
    if setting.endpoint:
        host, _, port = setting.endpoint.rpartition(":")
        yield {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": "kubernetes-services-endpoint", "namespace": "tigera-operator"},
            # A Windows node reaches no Service before kube-proxy works, which waits for Calico.
            "data": {"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port},
        }
    yield {
        "apiVersion": "projectcalico.org/v3",
        "kind": "IPAMConfiguration",
        "metadata": {"name": "default"},
        # Else Linux nodes borrow addresses of a Windows node, which HNS cannot route.
        "spec": {"strictAffinity": True},
    }
    overlay = setting.network.mode == "overlay"
    network: dict[str, Any] = {
        "windowsDataplane": "HNS",
        "bgp": "Disabled" if overlay else "Enabled",
    }
    if setting.network.mtu:
        network["mtu"] = setting.network.mtu
    yield {
        "apiVersion": "operator.tigera.io/v1",
        "kind": "Installation",
        "metadata": {"name": "default"},
        "spec": {
            "serviceCIDRs": list(setting.network.service_cidrs),
            "calicoNetwork": network,
        },
    }
