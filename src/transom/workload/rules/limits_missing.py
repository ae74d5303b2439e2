"""A Windows container without limits.

What it flags: a container or init container without a limit of CPU or memory, once however many it lacks. What a
LimitRange of its namespace gives it is not missing.
Why it fails: only limits reach the runtime, requests are not reserved, and no OOM killer frees memory: a
node is over-committed into paging.
Example: a container without `resources`.
Instead: set limits, of memory at least.
Sources: kubernetes/website, Resource management for Windows nodes.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import PodView, mapping
from transom.workload.rule import Hit, declare

RULE = declare("WIN101", "limits-missing")

_RESOURCES = ("cpu", "memory")


def check(pod: PodView, ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per container; what a LimitRange of the namespace gives is not missing."""
    given = ctx.default_limits.get(pod.object.namespace, frozenset())
    for container in pod.containers:
        limits = mapping(mapping(container.value.get("resources")).get("limits"))
        lacking = [name for name in _RESOURCES if limits.get(name) is None and name not in given]
        if lacking and container.section != "ephemeralContainers":
            yield Hit((*container.path, "resources", "limits"), " and ".join(lacking))
