"""A Windows pod that does not tolerate the taints of the Windows nodes.

What it flags: a pod for Windows without a toleration for a taint that the fleet gives its Windows
nodes.
Why it fails: the pod stays Pending, or runs only on nodes without the taint.
Example: nodes with `os=windows:NoSchedule` and a pod without tolerations.
Instead: add the matching toleration.
Sources: kubernetes/website, Windows containers in Kubernetes, taints and tolerations.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.platform import taints_in_the_way
from transom.workload.pods import PodView
from transom.workload.rule import Hit, declare

RULE = declare("WIN072", "windows-taint-not-tolerated")


def check(pod: PodView, ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per taint that nothing tolerates."""
    for taint in taints_in_the_way(pod, ctx):
        text = f"{taint.key}={taint.value}:{taint.effect}"
        yield Hit(pod.spec_path("tolerations"), text)
