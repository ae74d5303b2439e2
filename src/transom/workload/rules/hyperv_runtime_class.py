"""A RuntimeClass for Hyper-V isolation.

What it flags: a RuntimeClass whose name says Hyper-V, in a pod for Windows.
Why it fails: Kubernetes itself supports process isolation only; the handler must be set up in
containerd on every node.
Example: `runtimeClassName: runhcs-wcow-hypervisor`.
Instead: configure the handler, or use process isolation.
Sources: kubernetes/website, Windows containers in Kubernetes, Hyper-V isolation; containerd,
runhcs handlers.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import PodView
from transom.workload.rule import Hit, declare

RULE = declare("WIN076", "hyperv-runtime-class")

_WORDS = ("hyperv", "hyper-v", "hypervisor")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit for a RuntimeClass of that name."""
    name = pod.spec.get("runtimeClassName")
    if isinstance(name, str) and any(word in name.lower() for word in _WORDS):
        yield Hit(pod.spec_path("runtimeClassName"), name)
