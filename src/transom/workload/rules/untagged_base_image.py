"""A Windows base image without a tag, or with latest.

What it flags: a base image of Windows (windows, server, servercore, nanoserver) without a tag or with
the tag latest, and without a digest.
Why it fails: Microsoft publishes no latest of its base images since 2019, and no tag can be right
for every node.
Example: `image: mcr.microsoft.com/windows/servercore`.
Instead: name the release, such as ltsc2022.
Sources: learn.microsoft.com, container base images.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.image import read_image
from transom.workload.pods import PodView
from transom.workload.rule import Hit, declare

RULE = declare("WIN201", "untagged-base-image")


def check(pod: PodView, _ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per image that names no release."""
    for container in pod.containers:
        image = read_image(container.image) if container.image else None
        if image is None or image.digest or image.tag not in ("", "latest"):
            continue
        if image.is_base:
            yield Hit((*container.path, "image"), container.image)
