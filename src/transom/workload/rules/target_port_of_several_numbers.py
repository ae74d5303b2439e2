"""A named target port that is not the same number in every pod.

What it flags: a Service with a `targetPort` by name, whose Windows pods give that name different
numbers.
Why it fails: kube-proxy on Windows programs one number for all endpoints of a port.
Example: `targetPort: web`, 80 in one Deployment and 8080 in another.
Instead: use one number in all pods.
Sources: kubernetes/kubernetes, pkg/proxy/winkernel/proxier.go.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import ObjectView, mapping, sequence
from transom.workload.rule import Hit, declare

RULE = declare("WIN170", "target-port-of-several-numbers")


def check(service: ObjectView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per name; the engine keeps it only where the pods differ."""
    for index, port in enumerate(sequence(mapping(service.value.get("spec")).get("ports"))):
        name = mapping(port).get("targetPort")
        if isinstance(name, str) and not name.isdecimal():
            yield Hit((*service.path, "spec", "ports", index, "targetPort"), name, port=name)
