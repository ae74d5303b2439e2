"""A memory limit in which a Windows container hardly starts.

What it flags: a memory limit below what the processes of the base system need, by the kind of
image.
Why it fails: a Windows container runs processes of its own system, and fails to start or thrashes.
Example: `memory: 128Mi` for a Server Core image.
Instead: raise the limit.
Sources: kubernetes/website, Resource management for Windows nodes.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.field_values import MEBIBYTE, read_quantity
from transom.workload.image import least_memory, read_image
from transom.workload.pods import PodView, mapping
from transom.workload.rule import Hit, declare

RULE = declare("WIN102", "memory-limit-too-small")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per container with too little; a milli suffix is another rule's business."""
    for container in pod.containers:
        limit = mapping(mapping(container.value.get("resources")).get("limits")).get("memory")
        amount = read_quantity(limit)
        need = least_memory(read_image(container.image)) if container.image else None
        if amount is None or need is None or str(limit).endswith("m"):
            continue
        if amount < need.mebibytes * MEBIBYTE:
            path = (*container.path, "resources", "limits", "memory")
            yield Hit(path, f"{limit}; {need.id} wants {need.mebibytes}Mi")
