"""A memory quantity in thousandths of a byte.

What it flags: a request or limit of memory of a Windows container that ends in m.
Why it fails: m is milli; the container gets a byte, not a mebibyte.
Example: `memory: 800m`.
Instead: write `800Mi`.
Sources: kubernetes pkg/api/pod, warnings.go; kubernetes/website, resource quantities.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import PodView, mapping
from transom.workload.rule import Hit, declare

RULE = declare("WIN105", "memory-in-thousandths")

_MILLI = "m"


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per quantity, with what was meant."""
    for container in pod.containers:
        resources = mapping(container.value.get("resources"))
        for part in ("limits", "requests"):
            amount = mapping(resources.get(part)).get("memory")
            if isinstance(amount, str) and amount.endswith(_MILLI):
                number = amount.removesuffix(_MILLI)
                yield Hit(
                    (*container.path, "resources", part, "memory"),
                    amount,
                    fix=f"Write {number}Mi: {amount} is {number} thousandths of a byte.",
                )
