"""A NetworkPolicy that selects Windows pods.

What it flags: a NetworkPolicy whose podSelector meets Windows pods.
Why it fails: whether it is enforced depends on the network; win-bridge, win-overlay and Flannel
enforce none.
Example: a policy with an empty podSelector in a namespace of Windows pods.
Instead: use a network with policies on Windows.
Sources: kubernetes/website, Networking on Windows.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import ObjectView
from transom.workload.rule import Hit, declare

RULE = declare("WIN176", "network-policy-of-windows-pods")


def check(policy: ObjectView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit; the engine keeps it only where the policy meets a Windows pod."""
    yield Hit((*policy.path, "spec"))
