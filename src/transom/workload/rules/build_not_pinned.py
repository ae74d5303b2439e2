"""No build in the selector where the nodes differ in build.

What it flags: a Windows pod without node.kubernetes.io/windows-build in its selector or affinity,
where the nodes are of several builds.
Why it fails: process isolation wants an image of the node's build, so the pod fails on some of the
nodes.
Example: `--windows 2022 --windows 2025` and a selector with the system only.
Instead: pin the build, or use a RuntimeClass that does.
Sources: kubernetes/website, Windows containers in Kubernetes, several Windows versions.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.platform import pinned_builds
from transom.workload.pods import PodView
from transom.workload.rule import Hit, declare

RULE = declare("WIN073", "build-not-pinned")


def check(pod: PodView, ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit for a pod that any of the builds may get."""
    if len(ctx.builds) > 1 and not pod.spec.get("runtimeClassName") and not pinned_builds(pod, ctx):
        builds = ", ".join(map(str, sorted(ctx.builds)))
        yield Hit(pod.spec_path("nodeSelector"), f"nodes are of builds {builds}")
