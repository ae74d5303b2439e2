"""A grace period that Docker cuts short.

What it flags: terminationGracePeriodSeconds above 5 where the Windows nodes run Docker.
Why it fails: Docker gives a Windows container 5 seconds after the shutdown event.
Example: `terminationGracePeriodSeconds: 60` with a fleet on Docker.
Instead: use containerd, which honours it.
Sources: kubernetes/website, Windows containers in Kubernetes, pod API differences.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import PodView
from transom.workload.rule import Hit, declare

RULE = declare("WIN085", "long-grace-with-docker")

_DOCKER_GRACE_S = 5


def check(pod: PodView, ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit for a period that is not kept."""
    period = pod.spec.get("terminationGracePeriodSeconds")
    if ctx.docker and isinstance(period, int) and period > _DOCKER_GRACE_S:
        yield Hit(pod.spec_path("terminationGracePeriodSeconds"), str(period))
