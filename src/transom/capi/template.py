"""A Windows pool for a cluster of Cluster API, or the cluster around it: objects for clusterctl to fill in.

With boot files the node program prepares each machine before kubeadm joins it; without them the
image has everything.
"""

from collections.abc import Iterator

from transom.capi.cluster import cluster_around
from transom.capi.cluster_class import cluster_class
from transom.capi.objects import NAMESPACE, named
from transom.capi.pool import windows_pool
from transom.capi.wish import Wish
from transom.errors import UnsupportedError
from transom.facts.join import CriSocket
from transom.facts.rows import At, rows
from transom.model.manifest import Manifest


def template(wish: Wish) -> list[Manifest]:
    """Every object, in the order they are applied."""
    _refuse_legacy(wish)
    return [*_objects(wish)]


def _objects(wish: Wish) -> Iterator[Manifest]:
    if wish.flavor == "clusterclass":
        yield from cluster_class(wish)
    else:
        if wish.whole:
            yield from cluster_around(wish)
        yield from windows_pool(wish)
    if wish.addons:
        yield from _addons(wish)


def _refuse_legacy(wish: Wish) -> None:
    """Refuse a runtime that the version does not have any more."""
    if not wish.legacy:
        return
    found = [
        row for row in rows(CriSocket, At(kubernetes=wish.kubernetes)) if row.runtime == "docker"
    ]
    if wish.kubernetes is None or not found or wish.windows != "2019":
        raise UnsupportedError(
            f"{wish.legacy} is for Kubernetes before 1.24 on Windows Server 2019",
            subject=f"--legacy {wish.legacy}",
            hint="say --kubernetes 1.23.17 and --windows 2019, or leave --legacy out",
        )


def _addons(wish: Wish) -> Iterator[Manifest]:
    """The add-ons, applied again whenever they change: those of an upgrade reach the cluster."""
    name = named(f"{wish.name}-addons")
    metadata = {"name": name, "namespace": NAMESPACE}
    yield {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": metadata,
        "data": {"addons.yaml": wish.addons},
    }
    yield {
        "apiVersion": f"addons.cluster.x-k8s.io/{wish.contract}",
        "kind": "ClusterResourceSet",
        "metadata": metadata,
        "spec": {
            "strategy": "Reconcile",
            "clusterSelector": {"matchLabels": {"windows": "enabled"}},
            "resources": [{"kind": "ConfigMap", "name": name}],
        },
    }
