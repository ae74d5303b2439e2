"""A Windows pod that does not tolerate the taints of the Windows nodes.

What it flags: a pod for Windows without a toleration for a taint that the fleet gives its Windows
nodes.
Why it fails: the pod stays Pending, or runs only on nodes without the taint.
Example: nodes with `os=windows:NoSchedule` and a pod without tolerations.
Instead: add the matching toleration.
Sources: kubernetes/website, Windows containers in Kubernetes, taints and tolerations.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from transom.workload.context import LintContext
from transom.workload.pods import PodView, mapping, sequence
from transom.workload.rule import Hit, declare

if TYPE_CHECKING:
    from transom.model.fleet import Taint

RULE = declare("WIN072", "windows-taint-not-tolerated")


def check(pod: PodView, ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per taint that nothing tolerates."""
    tolerations = [mapping(item) for item in sequence(pod.spec.get("tolerations"))]
    for taint in ctx.taints:
        if taint.effect == "PreferNoSchedule":
            continue
        if not any(_tolerates(item, taint) for item in tolerations):
            text = f"{taint.key}={taint.value}:{taint.effect}"
            yield Hit(pod.spec_path("tolerations"), text)


def _tolerates(toleration: Mapping[str, Any], taint: "Taint") -> bool:
    if toleration.get("effect") not in (None, "", taint.effect):
        return False
    if toleration.get("operator") == "Exists":
        return toleration.get("key") in (None, "", taint.key)
    return toleration.get("key") == taint.key and toleration.get("value", "") == taint.value
