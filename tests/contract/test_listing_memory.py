"""The lister in memory answers as a real API server does: the same suite runs on one in the lab."""

import asyncio

from tests.contract.listing import lists_what_is_there

from transom.kube.listing import MemoryLister


def test_the_twin_lists_as_the_real_one_does():
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web", "namespace": "shop"},
    }
    elsewhere = {**service, "metadata": {"name": "other", "namespace": "mail"}}
    namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}}
    lister = MemoryLister("1.37.1", [service, elsewhere, namespace])
    asyncio.run(lists_what_is_there(lister, version="1.37.1", namespace="shop"))
