"""A Service with IPv6 alone.

What it flags: ipFamilies with IPv6 as the only family, in a Service that leads to Windows pods.
Why it fails: Windows needs IPv4, alone or beside IPv6.
Example: `ipFamilies: [IPv6]`.
Instead: use IPv4, or both on l2bridge.
Sources: kubernetes/website, Networking on Windows, IPv4/IPv6 dual-stack.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import ObjectView, PodView, mapping
from transom.workload.rule import Hit, declare

RULE = declare("WIN166", "ipv6-only")


def check(view: ObjectView | PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit for a Service of IPv6 alone; a pod names no family."""
    families = mapping(view.value.get("spec")).get("ipFamilies")
    if families == ["IPv6"]:
        yield Hit((*view.path, "spec", "ipFamilies"), "IPv6")
