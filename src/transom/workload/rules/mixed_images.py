"""Images for Linux and for Windows in one pod.

What it flags: a pod with at least one image that can only be for Windows and one that can only be
for Linux.
Why it fails: all containers of a pod run on one node.
Example: an IIS container with an alpine sidecar.
Instead: split it into two pods.
Sources: kubernetes/website, Windows containers in Kubernetes.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.image import read_image
from transom.workload.pods import PodView
from transom.workload.rule import Hit, declare

RULE = declare("WIN074", "mixed-images")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per image of the other system than the pod's first."""
    systems = [(item, read_image(item.image).os) for item in pod.containers if item.image]
    known = [(item, system) for item, system in systems if system is not None]
    for container, system in known:
        if system is not known[0][1]:
            other = known[0][0].image
            yield Hit((*container.path, "image"), f"{container.image} beside {other}")
