"""Images of one pod that no node runs together.

What it flags: two images of a pod whose tags name Windows releases such that no node runs both with
process isolation.
Why it fails: all containers of a pod run on one node, and share its kernel.
Example: an ltsc2019 image beside an ltsc2022 image.
Instead: use tags of one release.
Sources: containerd/platforms, platform_windows_compat.go; learn.microsoft.com, version compatibility.
"""

from collections.abc import Iterator

from transom.facts.rows import read
from transom.facts.windows import Release
from transom.workload.context import LintContext
from transom.workload.image import read_image, runs_on
from transom.workload.pods import PodView
from transom.workload.rule import Hit, declare

RULE = declare("WIN215", "images-of-different-builds")


def check(pod: PodView, ctx: LintContext) -> Iterator[Hit]:
    """Yield one hit per image that goes with no node of the first image's."""
    if pod.is_host_process or pod.spec.get("runtimeClassName"):
        return
    images = [(item, read_image(item.image).release) for item in pod.containers if item.image]
    known = [(item, release) for item, release in images if release is not None]
    nodes = [row.build for row in read(Release)]
    for container, release in known[1:]:
        first, other = known[0]
        if not any(
            runs_on(release.build, node, ctx.containerd)
            and runs_on(other.build, node, ctx.containerd)
            for node in nodes
        ):
            yield Hit((*container.path, "image"), f"{container.image} beside {first.image}")
