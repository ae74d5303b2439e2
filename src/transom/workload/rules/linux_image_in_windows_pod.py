"""An image for Linux in a pod for Windows.

What it flags: an image that can only be for Linux, by its repository or tag, in a pod that is
placed on Windows.
Why it fails: the image has no entry for Windows, so that the runtime finds nothing to pull.
Example: `image: nginx:1.27-alpine` with a Windows selector.
Instead: use an image with a Windows entry.
Sources: hub.docker.com, platforms of official images.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext, OperatingSystem
from transom.workload.image import read_image
from transom.workload.pods import PodView
from transom.workload.rule import Hit, declare

RULE = declare("WIN205", "linux-image-in-windows-pod")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per image of the wrong system."""
    for container in pod.containers:
        if container.image and read_image(container.image).os is OperatingSystem.LINUX:
            yield Hit((*container.path, "image"), container.image)
