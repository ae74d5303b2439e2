"""The twin in memory answers as a real API server does: the same suite runs on one in the lab."""

import asyncio

from tests.contract.objects import FOREIGN, keeps_its_promises

from transom.kube.memory_objects import MemoryObjects

_DEFAULT = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "default"}}


def test_the_twin_keeps_the_promises_of_the_real_one():
    asyncio.run(keeps_its_promises(MemoryObjects((_DEFAULT, FOREIGN))))
