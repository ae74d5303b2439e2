"""A NodePort or LoadBalancer Service of Windows pods.

What it flags: a Service of type NodePort or LoadBalancer that leads to Windows pods.
Why it fails: a Windows node does not reach the node ports of itself.
Example: `type: NodePort`.
Instead: call it from another node or from a pod.
Sources: kubernetes/website, Networking on Windows, limitations.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import ObjectView, mapping
from transom.workload.rule import Hit, declare

RULE = declare("WIN167", "nodeport-from-own-node")


def check(service: ObjectView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit for a Service with node ports."""
    kind = mapping(service.value.get("spec")).get("type")
    if kind in ("NodePort", "LoadBalancer"):
        yield Hit((*service.path, "spec", "type"), kind)
