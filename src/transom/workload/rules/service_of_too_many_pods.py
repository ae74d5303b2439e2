"""A Service with more pods than a Windows load balancer takes.

What it flags: a Service that leads to more than 64 Windows pods, counted by their replicas.
Why it fails: a load balancer of the Host Networking Service has room for 64 endpoints.
Example: a Service of a Deployment with `replicas: 80`.
Instead: split the Service, or lower the replicas.
Sources: kubernetes/website, Networking on Windows, limitations.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import ObjectView
from transom.workload.rule import Hit, declare

RULE = declare("WIN164", "service-of-too-many-pods")


def check(service: ObjectView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit; the engine keeps it only where the Service leads to so many pods."""
    most = RULE.rows[0].value
    assert isinstance(most, int)
    yield Hit((*service.path, "spec", "selector"), f"more than {most}", beyond=most)
