"""An os that says nothing.

What it flags: `spec.os` that is there and has no name, or is a word instead of a mapping.
Why it fails: the API server wants a name wherever there is an os.
Example: `os: {}`.
Instead: set `os.name`, or remove `os`.
Sources: kubernetes/kubernetes, pkg/apis/core/validation/validation.go#validateOS.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.pods import PodView
from transom.workload.rule import Hit, declare

RULE = declare("WIN045", "os-without-name")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit for an os without a name."""
    system = pod.spec.get("os")
    if isinstance(system, dict) and system.get("name") is None:
        yield Hit(pod.spec_path("os", "name"))
    elif system is not None and not isinstance(system, dict):
        yield Hit(
            pod.spec_path("os"), f"{system} is no mapping", fix=f"Write `os: {{name: {system}}}`."
        )
