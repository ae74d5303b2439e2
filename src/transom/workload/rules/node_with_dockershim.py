"""A Windows node with Docker from 1.24 on.

What it flags: a Windows Node whose runtime is docker.
Why it fails: the kubelet has no dockershim from 1.24 on.
Example: containerRuntimeVersion docker://20.10.9.
Instead: move to containerd.
Sources: kubernetes, removal of dockershim in 1.24.
"""

from collections.abc import Iterator

from transom.workload.cluster_signs import node_build, node_info
from transom.workload.context import LintContext
from transom.workload.pods import ObjectView
from transom.workload.rule import Hit, declare

RULE = declare("WIN208", "node-with-dockershim")


def check(node: ObjectView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit for a node that runs Docker."""
    info = node_info(node)
    runtime = str(info.get("containerRuntimeVersion", ""))
    if node_build(info) and runtime.startswith("docker://"):
        yield Hit((*node.path, "status", "nodeInfo", "containerRuntimeVersion"), runtime)
