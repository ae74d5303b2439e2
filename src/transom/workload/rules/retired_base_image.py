"""An image of a Windows release that is out of support.

What it flags: an image whose tag names a release whose support has ended.
Why it fails: it gets no security updates and is no longer rebuilt.
Example: `image: mcr.microsoft.com/windows/nanoserver:1709`.
Instead: rebase on a supported release.
Sources: learn.microsoft.com, base image servicing lifecycles.
"""

from collections.abc import Iterator

from transom.workload.context import LintContext
from transom.workload.image import read_image
from transom.workload.pods import PodView
from transom.workload.rule import Hit, declare

RULE = declare("WIN203", "retired-base-image")


def check(pod: PodView, ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per image of an ended release."""
    for container in pod.containers:
        release = read_image(container.image).release if container.image else None
        end = (release.extended_end or release.mainstream_end) if release else ""
        if release and end and end < ctx.today:
            yield Hit((*container.path, "image"), f"{release.name} ended on {end}")
