"""A dual-stack Service where Windows uses an overlay network.

What it flags: ipFamilyPolicy PreferDualStack or RequireDualStack with the network mode overlay.
Why it fails: overlay networks of Windows are single-stack, and kube-proxy falls back.
Example: `ipFamilyPolicy: RequireDualStack` with `--network-mode overlay`.
Instead: use l2bridge, or SingleStack.
Sources: kubernetes pkg/proxy/winkernel; kubernetes/website, Networking on Windows.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import ObjectView, mapping
from transom.workload.rule import Hit, declare

RULE = declare("WIN165", "dual-stack-on-overlay")


def check(service: ObjectView, ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit for a policy that wants two families."""
    policy = mapping(service.value.get("spec")).get("ipFamilyPolicy")
    if ctx.network_mode == "overlay" and policy in ("PreferDualStack", "RequireDualStack"):
        yield Hit((*service.path, "spec", "ipFamilyPolicy"), policy)
