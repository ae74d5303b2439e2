"""An image for Windows in a pod for Linux.

What it flags: an image that can only be for Windows, by its repository or tag, in a pod that os.name,
its selector, affinity or RuntimeClass sends to Linux.
Why it fails: the image has no entry for Linux, so that the runtime finds nothing to pull.
Example: an IIS image with `nodeSelector: {kubernetes.io/os: linux}`.
Instead: select Windows nodes.
Sources: kubernetes/website, Windows containers in Kubernetes, scheduling.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext, OperatingSystem
from transom.workload.image import read_image
from transom.workload.pods import PodView
from transom.workload.rule import Hit, declare

RULE = declare("WIN079", "windows-image-in-linux-pod")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per image of the wrong system."""
    if pod.os is not OperatingSystem.LINUX or pod.evidence[0].startswith("image "):
        return
    for container in pod.containers:
        if container.image and read_image(container.image).os is OperatingSystem.WINDOWS:
            yield Hit((*container.path, "image"), f"{container.image}; {pod.evidence[0]}")
