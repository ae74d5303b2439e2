"""A Windows node whose containerd is older than the least supported.

What it flags: a Windows Node whose containerd is below the minimum of its series, or of a series
that is no longer listed.
Why it fails: older ones lack fixes that Windows pods need.
Example: containerd://1.6.0 with Kubernetes 1.34.
Instead: upgrade containerd.
Sources: containerd RELEASES.md; kubernetes/website, Windows containers in Kubernetes.
"""

from collections.abc import Iterator, Sequence

from transom.model.version import Version
from transom.workload.cluster_signs import node_build, node_info
from transom.workload.context import LintContext
from transom.workload.pods import ObjectView
from transom.workload.rule import Hit, declare

RULE = declare("WIN207", "node-containerd-too-old")

_SCHEME = "containerd://"


def check(node: ObjectView, ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit for a node with an old containerd."""
    info = node_info(node)
    runtime = str(info.get("containerRuntimeVersion", ""))
    if not node_build(info) or not runtime.startswith(_SCHEME):
        return
    try:
        version = Version.parse(runtime.removeprefix(_SCHEME))
    except ValueError:
        return
    minimums = [Version.parse(text) for text in ctx.containerd_minimums()]
    if minimums and not _is_new_enough(version, minimums):
        path = (*node.path, "status", "nodeInfo", "containerRuntimeVersion")
        yield Hit(path, runtime)


def _is_new_enough(version: Version, minimums: Sequence[Version]) -> bool:
    series = [least for least in minimums if least.minor_text == version.minor_text]
    return version >= (series or [max(minimums)])[0]
