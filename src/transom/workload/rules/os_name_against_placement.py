"""os.name that differs from the nodes the pod is placed on.

What it flags: a pod whose selector, node affinity or RuntimeClass leads to one system and whose
os.name names the other.
Why it fails: the scheduler ignores os.name; the kubelet then fails the pod with PodOSNotSupported.
Example: `os.name: windows` with `nodeSelector: {kubernetes.io/os: linux}`.
Instead: make both name the same system.
Sources: kubernetes pkg/kubelet/lifecycle, PodOSNotSupported.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.platform import placement
from transom.workload.pods import PodView
from transom.workload.rule import Hit, declare

RULE = declare("WIN043", "os-name-against-placement")


def check(pod: PodView, ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit where placement and os.name disagree."""
    for system, sign in placement(pod, ctx):
        if pod.os_name and pod.os_name != system.value:
            yield Hit(pod.spec_path("os", "name"), f"{pod.os_name}, but {sign}")
            return
