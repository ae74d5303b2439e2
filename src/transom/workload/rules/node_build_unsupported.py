"""A node of a Windows build that this Kubernetes does not support.

What it flags: a Windows Node whose kernel version is of a build that the Kubernetes minor does not
list.
Why it fails: such a combination is not tested by anybody.
Example: kernelVersion 10.0.17763 with Kubernetes 1.36.
Instead: move the node to a listed release.
Sources: kubernetes/website, Windows containers in Kubernetes, supported versions.
"""

from collections.abc import Iterator

from transom.workload.cluster_signs import node_build, node_info
from transom.workload.context import LintContext
from transom.workload.pods import ObjectView
from transom.workload.rule import Hit, declare

RULE = declare("WIN206", "node-build-unsupported")


def check(node: ObjectView, ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit for a Windows node of another build."""
    info = node_info(node)
    build = node_build(info)
    supported = ctx.supported_builds()
    if build and supported and build not in supported:
        path = (*node.path, "status", "nodeInfo", "kernelVersion")
        yield Hit(path, f"{info.get('kernelVersion')} with Kubernetes {ctx.kubernetes.minor_text}")
